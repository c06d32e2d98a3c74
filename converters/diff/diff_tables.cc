#include "nadi/converters/diff/diff_tables.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nadi/converters/diff/write_diff_csv.h"

namespace nadi {

namespace {

/// A row of a report with what its own time is.
struct RowPair {
  const DiffRow *row, *own;
};
using RowPairs = std::vector<RowPair>;

double us_of(double ns) { return ns / 1000; }
double us_of(Ns ns) { return static_cast<double>(ns) / 1000; }

std::optional<bool> significance_of(const DiffRow& row) {
  if (row.verdict == Verdict::kUnknown) return std::nullopt;
  return row.verdict == Verdict::kSignificant;
}

/// `before` stands before the columns' names.
void add_side(const std::string& before, const RowPairs& rows, DiffSide DiffRow::*side,
              ColumnTable& table) {
  const auto add = [&](const char* name, const auto& value_of) {
    table.add(before + name, rows, [&](const RowPair& pair) { return value_of(pair.row->*side); });
  };
  add("count", [](const DiffSide& of) { return of.count; });
  add("total_us", [](const DiffSide& of) { return us_of(of.duration_ns); });
  add("mean_count", [](const DiffSide& of) { return of.mean_count; });
  add("mean_us", [](const DiffSide& of) { return us_of(of.mean_ns); });
  add("deviation_us", [](const DiffSide& of) { return us_of(of.deviation_ns); });
}

/// The groups that there are, whether rows are of them or not, in HTA's words and order.
void add_changes(const RowPairs& rows, ColumnTable& table) {
  std::vector<std::string_view> groups;
  for (std::size_t change = 0; change < kCountChanges; ++change)
    groups.push_back(hta_group(static_cast<CountChange>(change)));
  std::vector<CountChange> changes;
  for (const RowPair& pair : rows) changes.push_back(pair.row->change);
  table.take_codes("change", std::move(changes),
                   std::make_shared<const std::vector<std::string_view>>(std::move(groups)));
}

void add_rows(const RowPairs& rows, ColumnTable& table) {
  const auto add = [&](const char* name, DiffRow const* RowPair::*which, const auto& value_of) {
    table.add(name, rows, [&](const RowPair& pair) { return value_of(*(pair.*which)); });
  };
  add_side("control.", rows, &DiffRow::control, table);
  add_side("test.", rows, &DiffRow::test, table);
  add("diff_count", &RowPair::row, [](const DiffRow& row) { return row.diff_count(); });
  add("diff_us", &RowPair::row, [](const DiffRow& row) { return us_of(row.diff_ns()); });
  add("diff_mean_us", &RowPair::row, [](const DiffRow& row) { return us_of(row.diff_mean_ns()); });
  add("spread_us", &RowPair::row, [](const DiffRow& row) { return us_of(row.spread_ns); });
  add_changes(rows, table);
  add("significant", &RowPair::row, significance_of);
  add("mean_own.control_us", &RowPair::own,
      [](const DiffRow& own) { return us_of(own.control.mean_ns); });
  add("mean_own.test_us", &RowPair::own,
      [](const DiffRow& own) { return us_of(own.test.mean_ns); });
  add("mean_own.diff_us", &RowPair::own,
      [](const DiffRow& own) { return us_of(own.diff_mean_ns()); });
  add("mean_own.spread_us", &RowPair::own, [](const DiffRow& own) { return us_of(own.spread_ns); });
  add("mean_own.significant", &RowPair::own, significance_of);
}

ColumnTable call_table(const ByRow<CallDiff>& calls) {
  RowPairs rows;
  for (const CallDiff& call : calls) rows.push_back({&call.row, &call.own});
  ColumnTable table;
  table.add("name", calls, [](const CallDiff& call) { return call.row.key; });
  add_rows(rows, table);
  table.add("parent", calls, [](const CallDiff& call) {
    return call.depth == 0 ? std::nullopt : std::optional(std::int64_t{call.parent.value});
  });
  table.add("depth", calls, &CallDiff::depth);
  table.add("device", calls, &CallDiff::is_device);
  table.add("control_device_us", calls,
            [](const CallDiff& call) { return us_of(call.control_device.mean_ns); });
  table.add("test_device_us", calls,
            [](const CallDiff& call) { return us_of(call.test_device.mean_ns); });
  return table;
}

}  // namespace

ColumnTable diff_row_table(const DiffReport& report) {
  if (report.by == DiffBy::kCallPath) return call_table(report.calls);
  RowPairs rows;
  for (std::size_t row = 0; row < report.rows.size(); ++row)
    rows.push_back({&report.rows[row], &report.own[row]});
  ColumnTable table;
  table.add(diff_column(report.by), report.rows, &DiffRow::key);
  add_rows(rows, table);
  return table;
}

ColumnTable hta_diff_table(const DiffReport& report) {
  ColumnTable table;
  const auto add = [&](const char* name, const auto& value_of) {
    table.add(name, report.rows,
              [&](const DiffRow& row) { return static_cast<double>(value_of(row)); });
  };
  table.add(diff_column(report.by), report.rows, &DiffRow::key);
  add("Control_counts", [](const DiffRow& row) { return row.control.count; });
  add("Control_total_duration", [](const DiffRow& row) { return us_of(row.control.duration_ns); });
  add("Test_counts", [](const DiffRow& row) { return row.test.count; });
  add("Test_total_duration", [](const DiffRow& row) { return us_of(row.test.duration_ns); });
  add("diff_counts", [](const DiffRow& row) { return row.diff_count(); });
  add("diff_duration", [](const DiffRow& row) { return us_of(row.diff_ns()); });
  table.add("counts_change_categories", report.rows,
            [](const DiffRow& row) { return std::string(1, hta_category(row)); });
  return table;
}

}  // namespace nadi
