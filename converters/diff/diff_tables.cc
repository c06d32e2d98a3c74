#include "nadi/converters/diff/diff_tables.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nadi/converters/diff/diff_fields.h"
#include "nadi/converters/diff/write_diff_csv.h"

namespace nadi {

namespace {

/// The groups that there are, whether rows are of them or not, in HTA's words and order.
ColumnTexts change_groups() {
  std::vector<std::string_view> groups;
  for (std::size_t change = 0; change < kCountChanges; ++change)
    groups.push_back(hta_group(static_cast<CountChange>(change)));
  return std::make_shared<const std::vector<std::string_view>>(std::move(groups));
}

/// Takes fields of a part of each row as columns.
template <class Rows, class PartOf>
struct DiffColumns {
  const Rows& rows;
  PartOf part_of;
  ColumnTable& table;

  template <class ValueOf>
  void operator()(std::string name, const ValueOf& value_of) const {
    table.add(std::move(name), rows,
              [&](const auto& row) { return std::invoke(value_of, std::invoke(part_of, row)); });
  }
  template <class ChangeOf>
  void change(const char* name, const ChangeOf& change_of) const {
    std::vector<CountChange> changes;
    for (const auto& row : rows)
      changes.push_back(std::invoke(change_of, std::invoke(part_of, row)));
    table.take_codes(name, std::move(changes), change_groups());
  }
};

template <class Rows, class PartOf, class ListFields>
void add_columns(const Rows& rows, const PartOf& part_of, const ListFields& list_fields,
                 ColumnTable& table) {
  list_fields(DiffColumns<Rows, PartOf>{rows, part_of, table});
}

ColumnTable call_table(const ByRow<CallDiff>& calls) {
  ColumnTable table;
  table.add("name", calls, [](const CallDiff& call) { return call.row.key; });
  add_columns(calls, &CallDiff::row, kDiffFields, table);
  add_columns(calls, &CallDiff::own, kOwnFields, table);
  table.add("parent", calls, [](const CallDiff& call) {
    return call.depth == 0 ? std::nullopt : std::optional(std::int64_t{call.parent.value});
  });
  add_columns(calls, std::identity{}, kCallFields, table);
  return table;
}

}  // namespace

ColumnTable diff_row_table(const DiffReport& report) {
  if (report.by == DiffBy::kCallPath) return call_table(report.calls);
  ColumnTable table;
  table.add(diff_column(report.by), report.rows, &DiffRow::key);
  add_columns(report.rows, std::identity{}, kDiffFields, table);
  add_columns(report.own, std::identity{}, kOwnFields, table);
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
