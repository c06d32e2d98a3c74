#include "nadi/converters/cli/diff_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "nadi/base/count_text.h"
#include "nadi/base/utf8.h"
#include "nadi/converters/cli/summary.h"
#include "nadi/converters/cli/text_table.h"
#include "nadi/converters/diff/write_diff_csv.h"
#include "nadi/sim_bridge/replay/what_if.h"

namespace nadi::cli {

namespace {

constexpr std::size_t kNameWidth = 60, kListed = 6;

/// True where the view's groups and significance include the row.
bool is_in_view(const DiffRow& row, const DiffView& view) {
  const auto& groups = view.groups;
  return (groups.empty() || std::find(groups.begin(), groups.end(), row.change) != groups.end()) &&
         (!view.significant_only || row.verdict == Verdict::kSignificant);
}

/// "yes" of significant rows, "no" of those within noise, "?" where the spread is unknown.
std::string verdict_text(Verdict verdict) {
  if (verdict == Verdict::kUnknown) return "?";
  return verdict == Verdict::kSignificant ? "yes" : "no";
}

/// The change of the mean in percent: "+12.3"; "new" of what control does not have, empty of none.
std::string percent_text(const DiffRow& row) {
  const double from = row.control.mean_ns, to = row.test.mean_ns;
  if (from == to) return "";
  return from == 0 ? "new" : fmt::format("{:+.1f}", 100 * (to - from) / from);
}

/// A count per iteration: "1,234", "0.50".
std::string mean_count_text(double count) {
  const double whole = std::round(count);
  if (std::abs(count - whole) >= 0.005) return fmt::format("{:.2f}", count);
  return with_commas(static_cast<std::uint64_t>(whole));
}

std::string signed_count(double count) {
  if (count == 0) return "";
  return (count > 0 ? "+" : "-") + mean_count_text(std::abs(count));
}

std::vector<std::string> cells_of(const std::string& name, const DiffRow& row) {
  return {name,
          mean_count_text(row.control.mean_count),
          mean_count_text(row.test.mean_count),
          signed_count(row.test.mean_count - row.control.mean_count),
          duration_text(std::llround(row.control.mean_ns)),
          duration_text(std::llround(row.test.mean_ns)),
          signed_duration_text(row.diff_mean_ns()),
          percent_text(row),
          verdict_text(row.verdict)};
}

TextTable empty_table(const DiffReport& report, bool is_inclusive) {
  const std::string time = is_inclusive ? "time" : "own time";
  return {{diff_column(report.by), "control calls", "test calls", "diff calls", "control " + time,
           "test " + time, "diff " + time, "change in %", "significant"},
          {},
          {1, 2, 3, 4, 5, 6, 7}};
}

std::string sample_text(const DiffSample& sample) {
  return sample.iteration < 0 ? fmt::format("rank {}", sample.rank)
                              : fmt::format("rank {} iteration {}", sample.rank, sample.iteration);
}

std::string samples_text(const ComparedSide& side) {
  const std::span samples(side.samples);
  if (samples.size() <= kListed) return list_of(samples, sample_text);
  return fmt::format("{}, … ({} in all)", list_of(samples.first(kListed), sample_text),
                     samples.size());
}

std::string paths_text(const ComparedSide& side) { return first_of_list(side.paths, 1); }

/// Nothing of times that somebody measured.
std::string what_if_line(const char* name, const ComparedSide& side) {
  if (side.what_if.empty()) return "";
  return fmt::format("The times of {} are those of a what-if, {}: nobody measured them\n", name,
                     what_if_text(side.what_if));
}

double size_of(const DiffRow& row, DiffSort sort) {
  if (sort == DiffSort::kCount) return std::abs(row.test.mean_count - row.control.mean_count);
  return std::abs(row.diff_mean_ns());
}

constexpr std::size_t kWidth = 72, kFormWidth = 60;

/// Of "old => new" both names are cut, so that both are seen.
std::string cut_pair(const std::string& name, std::size_t width) {
  constexpr std::string_view kArrow = " => ";
  const std::size_t arrow = name.find(kArrow);
  if (arrow == std::string::npos || name.size() <= width) return cut_text(name, width);
  const std::size_t half = (width - kArrow.size()) / 2;
  const std::string_view text = name;
  return cut_text(text.substr(0, arrow), half) + std::string(kArrow) +
         cut_text(text.substr(arrow + kArrow.size()), half);
}

/// "-" of a lane that the side does not have.
std::string mean_text(const DiffSide& side) {
  return side.samples == 0 ? "-" : duration_text(std::llround(side.mean_ns));
}

/// "77.491 ms ± 2.040 ms", the standard deviation where there are several samples.
std::string spread_text(const DiffSide& side) {
  if (side.samples < 2) return mean_text(side);
  return mean_text(side) + " ± " + duration_text(std::llround(side.deviation_ns));
}

std::string time_text(double ns) { return duration_text(std::llround(ns)); }

/// How much a call of the tree changed, for the order.
double change_of(const CallDiff& call, DiffSort sort) {
  if (sort == DiffSort::kCount)
    return std::abs(call.row.test.mean_count - call.row.control.mean_count);
  return sort == DiffSort::kName ? 1 : std::abs(call.own.diff_mean_ns());
}

/// The calls that changed most, and all above them.
ByRow<CallDiff, bool> shown_calls(const DiffReport& report, const DiffView& view) {
  std::vector<CallDiffIndex> order;
  for (const CallDiffIndex index : report.call_of_row) {
    const CallDiff& call = report.calls[index];
    if (is_in_view(call.row, view) && change_of(call, view.sort) > 0) order.push_back(index);
  }
  std::stable_sort(order.begin(), order.end(), [&](CallDiffIndex a, CallDiffIndex b) {
    return change_of(report.calls[a], view.sort) > change_of(report.calls[b], view.sort);
  });
  if (view.top > 0 && order.size() > view.top) order.resize(view.top);
  ByRow<CallDiff, bool> shown(report.calls.size());
  for (CallDiffIndex call : order)
    for (; call != CallDiffIndex(0) && !shown[call]; call = report.calls[call].parent)
      shown[call] = true;
  return shown;
}

std::string forms_text(const std::vector<InputForm>& forms) {
  if (forms.empty()) return "-";
  const std::string first = cut_text(forms.front().dims + " " + forms.front().types, kFormWidth);
  return forms.size() == 1 ? first : first + fmt::format(" and {} more", forms.size() - 1);
}

/// First the iteration, then how long the devices worked in it and stood idle, then the own time of
/// all rows: means over iterations and ranks, with the standard deviation where there are several.
std::string diff_headline(const DiffReport& report) {
  TextTable table{{"mean per iteration", "control", "test", "diff", "change in %", "significant"},
                  {},
                  {1, 2, 3, 4}};
  const auto add = [&table](std::string name, const DiffRow& row) {
    const bool is_on_both = row.control.samples > 0 && row.test.samples > 0;
    table.rows.push_back({std::move(name), spread_text(row.control), spread_text(row.test),
                          is_on_both ? signed_duration_text(row.diff_mean_ns()) : "",
                          is_on_both ? percent_text(row) : "", verdict_text(row.verdict)});
  };
  for (const LaneMeasure measure : kHeadlineMeasures) {
    const auto& lanes = report.lanes[static_cast<std::size_t>(measure)];
    for (const DiffRow& lane : lanes)
      add(std::string(to_string(measure)) + (lanes.size() > 1 ? ", " + lane.key : ""), lane);
  }
  add(total_text(report), report.total);
  return format_table(table);
}

}  // namespace

std::string diff_calls(const DiffReport& report, const DiffView& view) {
  const std::vector<bool> shown = shown_calls(report, view);
  TextTable table{{"call (means per iteration)", "control calls", "test calls", "control time",
                   "test time", "diff time", "own diff", "device diff"},
                  {},
                  {1, 2, 3, 4, 5, 6, 7}};
  for (std::size_t i = 1; i < report.calls.size(); ++i) {
    if (!shown[i]) continue;
    const CallDiff& call = report.calls[i];
    const std::string name = (call.is_device ? "[device] " : "") + call.row.key;
    table.rows.push_back(
        {std::string(2 * (call.depth - 1), ' ') + cut_pair(name, kWidth),
         mean_count_text(call.row.control.mean_count), mean_count_text(call.row.test.mean_count),
         time_text(call.row.control.mean_ns), time_text(call.row.test.mean_ns),
         signed_duration_text(call.row.diff_mean_ns()),
         signed_duration_text(call.own.diff_mean_ns()),
         signed_duration_text(call.test_device.mean_ns - call.control_device.mean_ns)});
  }
  const DiffRow& total = report.total;
  // Times with all that is called do not add up; own times do.
  table.rows.push_back({"all calls compared", mean_count_text(total.control.mean_count),
                        mean_count_text(total.test.mean_count), "", "", "",
                        signed_duration_text(total.diff_mean_ns()), ""});
  return format_table(table);
}

std::string diff_lanes(const DiffReport& report) {
  TextTable table{
      {"measure", "lane", "control", "test", "control mean", "test mean", "diff", "significant"},
      {},
      {2, 3, 4, 5, 6}};
  for (std::size_t i = kHeadlineMeasures.size(); i < kLaneMeasures; ++i)
    for (const DiffRow& row : report.lanes[i]) {
      const auto measure = static_cast<LaneMeasure>(i);
      table.rows.push_back(
          {std::string(to_string(measure)), row.key, mean_count_text(row.control.mean_count),
           mean_count_text(row.test.mean_count), mean_text(row.control), mean_text(row.test),
           row.control.samples == 0 ? "new"
           : row.test.samples == 0  ? "gone"
                                    : signed_duration_text(row.diff_mean_ns()),
           verdict_text(row.verdict)});
    }
  return table.rows.empty() ? "" : format_table(table);
}

std::string diff_edges(const DiffReport& report) {
  TextTable table{{"edges", "control", "test", "diff"}, {}, {1, 2, 3}};
  for (const DiffRow& row : report.edges)
    table.rows.push_back({row.key, with_commas(row.control.count), with_commas(row.test.count),
                          fmt::format("{:+}", row.diff_count())});
  return table.rows.empty() ? "" : format_table(table);
}

std::string diff_inputs(const DiffReport& report, std::size_t top) {
  if (report.inputs.empty()) return "";
  TextTable table{{"inputs changed", "only control", "only test"}, {}, {}};
  const std::size_t shown = top == 0 ? report.inputs.size() : std::min(top, report.inputs.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const ChangedInputs& op = report.inputs[i];
    table.rows.push_back({cut_text(op.op, kWidth), forms_text(op.control), forms_text(op.test)});
  }
  if (shown < report.inputs.size())
    table.rows.push_back({fmt::format("… {} more ops", report.inputs.size() - shown)});
  return format_table(table);
}

std::string diff_summary(const DiffReport& report) {
  const auto changes = changes_of(report.rows);
  CountTable counts;
  for (std::size_t change = 0; change < kCountChanges; ++change)
    counts.emplace_back(to_string(static_cast<CountChange>(change)), changes[change]);
  return fmt::format("control: {} ({})\ntest:    {} ({})\n{}{}\n{}\n{} rows: {}\n",
                     paths_text(report.control), samples_text(report.control),
                     paths_text(report.test), samples_text(report.test),
                     what_if_line("control", report.control), what_if_line("test", report.test),
                     diff_headline(report), with_commas(report.rows.size()), counts_text(counts));
}

std::string diff_table(const DiffReport& report, const DiffView& view) {
  std::vector<const DiffRow*> rows;
  for (const DiffRow& row : view.is_inclusive ? report.rows : report.own)
    if (is_in_view(row, view)) rows.push_back(&row);
  if (view.sort != DiffSort::kName)
    std::stable_sort(rows.begin(), rows.end(), [&](const DiffRow* a, const DiffRow* b) {
      return size_of(*a, view.sort) > size_of(*b, view.sort);
    });
  TextTable table = empty_table(report, view.is_inclusive);
  const std::size_t shown = view.top == 0 ? rows.size() : std::min(view.top, rows.size());
  for (std::size_t i = 0; i < shown; ++i)
    table.rows.push_back(cells_of(cut_text(rows[i]->key, kNameWidth), *rows[i]));
  if (shown < rows.size())
    table.rows.push_back({fmt::format("… {} more rows", with_commas(rows.size() - shown))});
  table.rows.push_back(
      cells_of("all rows", view.is_inclusive ? report.inclusive_total : report.total));
  return format_table(table);
}

std::string failed_text(const DiffReport& report, const FailedCondition& failed, std::size_t top) {
  TextTable table = empty_table(report, !failed.is_of_own_time);
  const std::size_t rows = failed.offenders.size();
  const std::size_t shown = top == 0 ? rows : std::min(top, rows);
  for (std::size_t i = 0; i < shown; ++i) {
    const std::size_t position = failed.offenders[i];
    const DiffRow& row = failed.is_of_own_time ? report.own[position] : report.rows[position];
    table.rows.push_back(cells_of(cut_text(key_text(report, position), kNameWidth), row));
  }
  if (shown < rows)
    table.rows.push_back({fmt::format("… {} more rows", with_commas(rows - shown))});
  return fmt::format("{} holds: {}\n", failed.condition, failed.found) +
         (rows > 0 ? format_table(table, 2) : "");
}

}  // namespace nadi::cli
