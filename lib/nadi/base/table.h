// Tables of columns, a row being what stands at one position of all of them; what is done to all
// columns alike is done here, by the list of columns that each table has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <vector>

#include "nadi/base/index.h"
#include "nadi/base/string_table.h"

namespace nadi {

/// A column of the table Row; `absent` is what a row has of which no more is known.
template <class Row, class T, auto absent = T{}>
class ColumnOf : public ByRow<Row, T> {
 public:
  using ByRow<Row, T>::ByRow;
  using ByRow<Row, T>::operator=;
  void append_absent(std::size_t count) {
    if (count == 1)
      this->push_back(static_cast<T>(absent));
    else
      this->resize(this->size() + count, static_cast<T>(absent));
  }
};

/// Calls visit(column) for each column. A table is a struct of nothing but columns, all of which
/// its `columns()` lists.
template <class Table, class Visit>
void for_each_column(Table& table, const Visit& visit) {
  constexpr auto columns = std::remove_const_t<Table>::columns();
  static_assert(sizeof(Table) == std::tuple_size_v<decltype(columns)> * sizeof(std::vector<int>),
                "columns() must list all columns of the table");
  std::apply([&](auto... column) { (visit(table.*column), ...); }, columns);
}

/// All rows of the table, as many as there are now.
template <class Table>
requires requires { Table::columns(); }
constexpr auto rows_of(const Table& table) {
  using FirstColumn = std::remove_cvref_t<decltype(table.*std::get<0>(Table::columns()))>;
  using Row = typename FirstColumn::Row;
  return RowRange(Row(0), Row(table.size()));
}

/// Adds a row, or so many, of which nothing is known yet.
template <class Table>
void append_row(Table& table) {
  for_each_column(table, [](auto& column) { column.append_absent(1); });
}
template <class Table>
void append_rows(Table& table, std::size_t count) {
  for_each_column(table, [&](auto& column) { column.append_absent(count); });
}

/// Adds a copy of each of the rows.
template <class Table>
void append_copies(Table& table, const std::vector<Index<Table>>& rows) {
  for_each_column(table, [&](auto& column) {
    for (const Index<Table> row : rows) column.push_back(column[row]);
  });
}

/// Makes row i what row rows[i] was; rows that are not named are gone. Columns without entries, of
/// which nothing was asked for, stay so.
template <class Table>
void reorder_rows(const std::vector<std::uint32_t>& rows, Table& table) {
  for_each_column(table, [&](auto& column) {
    if (column.empty()) return;
    std::remove_reference_t<decltype(column)> ordered;
    ordered.reserve(rows.size());
    for (const std::uint32_t row : rows) ordered.push_back(column[row]);
    column = std::move(ordered);
  });
}

/// Leaves the entries that are marked, in their order.
template <class T>
void keep_marked(const std::vector<bool>& marked, std::vector<T>& column) {
  std::size_t to = 0;
  for (std::size_t from = 0; from < marked.size(); ++from)
    if (marked[from]) column[to++] = column[from];
  column.resize(to);
}

/// Leaves the rows that are marked, in their order.
template <class Table>
requires requires { Table::columns(); }
void keep_marked(const std::vector<bool>& marked, Table& table) {
  for_each_column(table, [&](auto& column) { keep_marked(marked, column); });
}

/// Returns the row that each row becomes where those that are marked are kept; none = it is left
/// out.
template <class Table>
ByRow<Table, Index<Table>> rows_after_keeping(const ByRow<Table, bool>& marked) {
  ByRow<Table, Index<Table>> new_row(marked.size());
  Index<Table> next(0);
  for (const Index<Table> row : rows_of(marked))
    if (marked[row]) new_row[row] = next++;
  return new_row;
}

/// Replaces each string by ids[string], its number in another string table.
template <class Table>
void translate_strings(const std::vector<StringId>& ids, Table& table) {
  for_each_column(table, [&](auto& column) {
    if constexpr (std::is_same_v<typename std::remove_reference_t<decltype(column)>::value_type,
                                 StringId>)
      for (StringId& id : column) id = ids[static_cast<std::size_t>(id)];
  });
}

}  // namespace nadi
