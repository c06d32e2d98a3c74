#include "nadi/converters/cli/diff_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "nadi/base/utf8.h"
#include "nadi/converters/cli/text_table.h"
#include "nadi/converters/diff/write_diff.h"

namespace nadi::cli {

namespace {

constexpr std::size_t kNameWidth = 60, kListed = 6;

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
  return {{diff_column(report.by), "control", "test", "diff", "control " + time, "test " + time,
           "diff " + time, "change in %", "significant"},
          {},
          {1, 2, 3, 4, 5, 6, 7}};
}

std::string samples_text(const ComparedSide& side) {
  std::string text;
  for (std::size_t i = 0; i < side.samples.size() && i < kListed; ++i) {
    const DiffSample& sample = side.samples[i];
    text += i == 0 ? "" : ", ";
    text += sample.iteration < 0
                ? fmt::format("rank {}", sample.rank)
                : fmt::format("rank {} iteration {}", sample.rank, sample.iteration);
  }
  if (side.samples.size() > kListed) text += fmt::format(", … ({} in all)", side.samples.size());
  return text;
}

std::string paths_text(const ComparedSide& side) {
  std::string text = side.paths.empty() ? "" : side.paths.front();
  if (side.paths.size() > 1) text += fmt::format(" and {} more", side.paths.size() - 1);
  return text;
}

double size_of(const DiffRow& row, DiffSort sort) {
  if (sort == DiffSort::kCount) return std::abs(row.test.mean_count - row.control.mean_count);
  return std::abs(row.diff_mean_ns());
}

}  // namespace

bool is_shown(const DiffRow& row, const DiffView& view) {
  const auto& groups = view.groups;
  return (groups.empty() || std::find(groups.begin(), groups.end(), row.change) != groups.end()) &&
         (!view.significant_only || row.verdict == Verdict::kSignificant);
}

std::string verdict_text(Verdict verdict) {
  if (verdict == Verdict::kUnknown) return "?";
  return verdict == Verdict::kSignificant ? "yes" : "no";
}

std::string percent_text(const DiffRow& row) {
  const double from = row.control.mean_ns, to = row.test.mean_ns;
  if (from == to) return "";
  return from == 0 ? "new" : fmt::format("{:+.1f}", 100 * (to - from) / from);
}

std::string mean_count_text(double count) {
  const double whole = std::round(count);
  if (std::abs(count - whole) >= 0.005) return fmt::format("{:.2f}", count);
  return with_commas(static_cast<std::uint64_t>(whole));
}

std::string diff_summary(const DiffReport& report) {
  const auto changes = changes_of(report.rows);
  std::string counts;
  for (std::size_t change = 0; change < kCountChanges; ++change)
    counts += fmt::format("{}{} {}", change == 0 ? "" : ", ", with_commas(changes[change]),
                          to_string(static_cast<CountChange>(change)));
  return fmt::format("control: {} ({})\ntest:    {} ({})\n\n{}\n{} rows: {}\n",
                     paths_text(report.control), samples_text(report.control),
                     paths_text(report.test), samples_text(report.test), diff_headline(report),
                     with_commas(report.rows.size()), counts);
}

std::string diff_table(const DiffReport& report, const DiffView& view) {
  std::vector<const DiffRow*> rows;
  for (const DiffRow& row : view.is_inclusive ? report.rows : report.own)
    if (is_shown(row, view)) rows.push_back(&row);
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
    const std::size_t place = failed.offenders[i];
    const DiffRow& row = failed.is_of_own_time ? report.own[place] : report.rows[place];
    table.rows.push_back(cells_of(cut_text(key_text(report, place), kNameWidth), row));
  }
  if (shown < rows)
    table.rows.push_back({fmt::format("… {} more rows", with_commas(rows - shown))});
  return fmt::format("{} holds: {}\n", failed.condition, failed.found) +
         (rows > 0 ? format_table(table, 2) : "");
}

}  // namespace nadi::cli
