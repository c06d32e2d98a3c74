// Finds the rows of a table that hold a key: correlation, record-function id, External id.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <type_traits>
#include <vector>

#include "nadi/base/index.h"
#include "nadi/base/sort_rows.h"

namespace nadi {

/// Rows of a table by key, many rows a key; rows of one key come in ascending order. 12 to 16 bytes
/// a row.
template <class Table, class Key>
class KeyIndex {
 public:
  using Row = Index<Table>;
  struct Entry {
    Key key;
    Row row;
    friend bool operator<(const Entry& a, const Entry& b) {
      return a.key != b.key ? a.key < b.key : a.row < b.row;
    }
  };

  /// keys[row] is the row's key; rows whose key equals none are left out.
  KeyIndex(const ByRow<Table, Key>& keys, std::type_identity_t<Key> none) {
    entries_.reserve(keys.size());
    for (const Row row : rows_of(keys))
      if (keys[row] != none) entries_.push_back({keys[row], row});
    sort_rows(entries_);
  }

  /// All rows of the key.
  std::span<const Entry> rows(Key key) const {
    const auto first = std::lower_bound(entries_.begin(), entries_.end(), Entry{key, Row(0)});
    // Most keys are those of few rows: their end is looked for in steps that double.
    auto last = first;
    std::ptrdiff_t step = 1;
    for (; entries_.end() - last > step && last[step].key == key; step *= 2) last += step;
    const auto end = last + std::min(step, entries_.end() - last);
    return {first, std::upper_bound(last, end, Entry{key, Row()})};
  }
  /// The row with the largest key below the given one; none = there is no such row.
  Row row_below(Key key) const {
    const auto found = std::lower_bound(entries_.begin(), entries_.end(), Entry{key, Row(0)});
    return found == entries_.begin() ? Row() : std::prev(found)->row;
  }
  /// The row with the smallest key above the given one; none = there is no such row.
  Row row_above(Key key) const {
    const auto found = std::upper_bound(entries_.begin(), entries_.end(), Entry{key, Row()});
    return found == entries_.end() ? Row() : found->row;
  }
  bool empty() const { return entries_.empty(); }
  std::span<const Entry> entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
};

}  // namespace nadi
