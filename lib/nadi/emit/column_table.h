// A table as columns in memory, for whatever takes columns: Arrow, NumPy, a program's own code.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "nadi/base/string_table.h"

namespace nadi {

/// The values of a column, one after the other.
using ColumnValues =
    std::variant<std::span<const bool>, std::span<const std::int8_t>, std::span<const std::uint8_t>,
                 std::span<const std::int16_t>, std::span<const std::uint16_t>,
                 std::span<const std::int32_t>, std::span<const std::uint32_t>,
                 std::span<const std::int64_t>, std::span<const std::uint64_t>,
                 std::span<const float>, std::span<const double>>;

using ColumnTexts = std::shared_ptr<const std::vector<std::string_view>>;

struct Column {
  std::string name;
  ColumnValues values;     ///< of a column of texts their places in `texts`
  ColumnTexts texts = {};  ///< null = a column of numbers or flags
  /// By row, false = it has no value, and 0 stands there; none = every row has one.
  std::optional<std::span<const bool>> is_known = {};

  std::size_t rows() const {
    return std::visit([](const auto& of_a_type) { return of_a_type.size(); }, values);
  }
};

/// Returns the texts of a table of strings, by id. They look into it.
ColumnTexts texts_of(const StringTable& strings);

/// Returns the names of an enumeration's values 0 to `count` - 1.
template <class Enumeration>
ColumnTexts names_of(std::size_t count) {
  std::vector<std::string_view> names;
  for (std::size_t value = 0; value < count; ++value)
    names.push_back(to_string(static_cast<Enumeration>(value)));
  return std::make_shared<const std::vector<std::string_view>>(std::move(names));
}

/// Columns of one length, and what keeps the memory that they look at. Copies share it.
struct ColumnTable {
  std::vector<Column> columns;
  std::vector<std::shared_ptr<const void>> owners = {};

  std::size_t rows() const { return columns.empty() ? 0 : columns.front().rows(); }

  /// Adds a column that looks at values, which one of the owners keeps.
  template <class T>
  void look_at(std::string name, const std::vector<T>& values) {
    columns.push_back({std::move(name), std::span<const T>(values)});
  }
  /// The same of codes of 8 or 32 bits: enumerations, ids of texts.
  template <class T>
  void look_at_codes(std::string name, const std::vector<T>& codes, ColumnTexts texts) {
    using Code = std::conditional_t<sizeof(T) == 1, std::uint8_t, std::uint32_t>;
    static_assert(sizeof(T) == sizeof(Code));
    const std::span values(reinterpret_cast<const Code*>(codes.data()), codes.size());
    columns.push_back({std::move(name), values, std::move(texts)});
  }
  /// Adds a column with its values.
  template <class T>
  void take(std::string name, std::vector<T> values) {
    const auto kept = std::make_shared<const std::vector<T>>(std::move(values));
    look_at(std::move(name), *kept);
    owners.push_back(kept);
  }
  template <class T>
  void take_codes(std::string name, std::vector<T> codes, ColumnTexts texts) {
    const auto kept = std::make_shared<const std::vector<T>>(std::move(codes));
    look_at_codes(std::move(name), *kept, std::move(texts));
    owners.push_back(kept);
  }
  void take(std::string name, const std::vector<bool>& flags);
  /// Adds a column of texts; equal ones are kept once.
  void take(std::string name, const std::vector<std::string>& texts);
  /// Adds a column in which some rows may have no value.
  template <class T>
  void take(std::string name, const std::vector<std::optional<T>>& values);

  /// Adds a column of what the function, or the member, gives of each row: whole numbers, real
  /// ones, flags, texts, or optional numbers.
  template <class Rows, class ValueOf>
  void add(std::string name, const Rows& rows, const ValueOf& value_of);

 private:
  std::span<const bool> keep(const std::vector<bool>& flags);
};

template <class T>
void ColumnTable::take(std::string name, const std::vector<std::optional<T>>& values) {
  std::vector<T> numbers;
  std::vector<bool> is_known;
  for (const std::optional<T>& value : values) {
    numbers.push_back(value.value_or(T{}));
    is_known.push_back(value.has_value());
  }
  take(std::move(name), std::move(numbers));
  columns.back().is_known = keep(is_known);
}

template <class Rows, class ValueOf>
void ColumnTable::add(std::string name, const Rows& rows, const ValueOf& value_of) {
  using Value = std::decay_t<std::invoke_result_t<ValueOf, typename Rows::const_reference>>;
  using Kept = std::conditional_t<
      std::is_convertible_v<Value, std::string_view>, std::string,
      std::conditional_t<std::is_integral_v<Value> && !std::is_same_v<Value, bool>, std::int64_t,
                         Value>>;
  std::vector<Kept> values;
  values.reserve(rows.size());
  for (const auto& row : rows) values.push_back(Kept(std::invoke(value_of, row)));
  take(std::move(name), std::move(values));
}

}  // namespace nadi
