// The key of each row of a table: its name, or what else a diff groups by.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nadi/base/string_table.h"
#include "nadi/diff/diff_choice.h"
#include "nadi/diff/table_rows.h"

namespace nadi {

/// Gives the rows of one table their keys in `keys`, which may hold keys of other tables.
class RowKeys {
 public:
  RowKeys(const TableRows& rows, DiffBy by, StringTable& keys);

  /// Finds the key of a row; false = the row is not compared.
  bool find(EventRowIndex row, StringId& key);

 private:
  StringId key_of_name(EventRowIndex row);
  std::string collective_key(EventRowIndex row) const;
  bool is_communication(EventRowIndex row);

  const TableRows& rows_;
  DiffBy by_;
  StringTable& keys_;
  std::vector<StringId> key_of_name_;               // by id of the name; kEmpty = not known yet
  std::vector<std::int8_t> is_communication_name_;  // by id of the name; -1 = not known yet
  const AttributeColumn *collective_, *dtype_, *in_elements_, *out_elements_, *ranks_, *group_;
};

/// True if `text` holds one of the parts.
bool holds_any(std::string_view text, const std::vector<std::string>& parts);

/// Selects the keys to compare, by DiffChoice's only and exclude; of call paths see CallFilter.
class KeyFilter {
 public:
  KeyFilter(const DiffChoice& choice, const StringTable& keys) : choice_(choice), keys_(keys) {}

  bool keeps(StringId key);

 private:
  const DiffChoice& choice_;
  const StringTable& keys_;
  std::vector<std::int8_t> known_;  // by key; -1 = not looked at yet
};

/// True for names of communication kernels and of the annotations that record communication
/// ("nccl:all_reduce").
bool is_communication_name(std::string_view name);

}  // namespace nadi
