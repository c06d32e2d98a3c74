#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "nadi/converters/cli/diff_text.h"
#include "nadi/converters/cli/text_table.h"

namespace nadi::cli {

namespace {

constexpr std::size_t kWidth = 72, kFormWidth = 60;

std::string cut(const std::string& text, std::size_t width) {
  if (text.size() <= width) return text;
  std::size_t end = width - 3;
  while (end > 0 && (text[end] & 0xc0) == 0x80) --end;  // not within a character
  return text.substr(0, end) + "...";
}

std::string time_text(double ns) { return duration_text(static_cast<Ns>(std::llround(ns))); }
std::string signed_time(double ns) { return (ns > 0 ? "+" : "") + time_text(ns); }

/// The places of the calls that changed most, and of all above them.
std::vector<bool> shown_calls(const DiffReport& report, std::size_t top) {
  std::vector<std::size_t> order;
  for (std::size_t i = 1; i < report.calls.size(); ++i)
    if (report.calls[i].own_diff_ns() != 0) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(report.calls[a].own_diff_ns()) > std::abs(report.calls[b].own_diff_ns());
  });
  if (top > 0 && order.size() > top) order.resize(top);
  std::vector<bool> shown(report.calls.size());
  for (std::size_t place : order)
    for (; place != 0 && !shown[place]; place = report.calls[place].parent) shown[place] = true;
  return shown;
}

/// Of launches the mean of one, of all else the mean of an iteration's sum.
double shown_mean(const DiffSide& side, LaneMeasure measure) {
  if (measure != LaneMeasure::kLaunchLatency || side.mean_count == 0) return side.mean_ns;
  return side.mean_ns / side.mean_count;
}

std::string forms_text(const std::vector<InputForm>& forms) {
  if (forms.empty()) return "-";
  const std::string first = cut(forms.front().dims + " " + forms.front().types, kFormWidth);
  return forms.size() == 1 ? first : first + fmt::format(" and {} more", forms.size() - 1);
}

}  // namespace

std::string diff_calls(const DiffReport& report, const DiffView& view) {
  const std::vector<bool> shown = shown_calls(report, view.top);
  TextTable table{{"call (means per iteration)", "control", "test", "control time", "test time",
                   "diff time", "own diff", "device diff"},
                  {},
                  {1, 2, 3, 4, 5, 6, 7}};
  for (std::size_t i = 1; i < report.calls.size(); ++i) {
    if (!shown[i]) continue;
    const CallDiff& call = report.calls[i];
    const std::string name = (call.is_device ? "[device] " : "") + call.row.key;
    table.rows.push_back({std::string(2 * (call.depth - 1), ' ') + cut(name, kWidth),
                          fmt::format("{:.4g}", call.row.control.mean_count),
                          fmt::format("{:.4g}", call.row.test.mean_count),
                          time_text(call.row.control.mean_ns), time_text(call.row.test.mean_ns),
                          signed_time(call.row.diff_mean_ns()), signed_time(call.own_diff_ns()),
                          signed_time(call.test_device.mean_ns - call.control_device.mean_ns)});
  }
  return format_table(table);
}

std::string diff_lanes(const DiffReport& report) {
  TextTable table{
      {"measure", "lane", "control", "test", "control mean", "test mean", "diff", "significant"},
      {},
      {2, 3, 4, 5, 6}};
  for (std::size_t i = 0; i < kLaneMeasures; ++i)
    for (const DiffRow& row : report.lanes[i]) {
      const auto measure = static_cast<LaneMeasure>(i);
      const double control = shown_mean(row.control, measure);
      const double test = shown_mean(row.test, measure);
      table.rows.push_back({std::string(to_string(measure)), row.key,
                            with_commas(row.control.count), with_commas(row.test.count),
                            time_text(control), time_text(test), signed_time(test - control),
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
    table.rows.push_back({cut(op.op, kWidth), forms_text(op.control), forms_text(op.test)});
  }
  if (shown < report.inputs.size())
    table.rows.push_back({fmt::format("… {} more ops", report.inputs.size() - shown)});
  return format_table(table);
}

}  // namespace nadi::cli
