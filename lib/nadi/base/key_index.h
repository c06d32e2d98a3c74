// Finds the rows of a table that hold a key: correlation, record-function id, External id.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "nadi/base/index.h"
#include "nadi/base/search_near.h"
#include "nadi/base/sort_rows.h"

namespace nadi {

/// Rows of a table by key, many rows a key; rows of one key come in ascending order. A key is a
/// number, or a pair that begins with one. 12 to 16 bytes a row.
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
  /// entries: in any order.
  explicit KeyIndex(std::vector<Entry> entries) : entries_(std::move(entries)) {
    sort_rows(entries_);
  }

  /// All rows of the key.
  std::span<const Entry> rows(Key key) const {
    const auto first = first_from({key, Row(0)});
    // Most keys are those of few rows: their end is looked for in steps that double.
    auto last = first;
    std::ptrdiff_t step = 1;
    for (; entries_.end() - last > step && last[step].key == key; step *= 2) last += step;
    const auto end = last + std::min(step, entries_.end() - last);
    return {first, std::lower_bound(last, end, Entry{key, Row()})};
  }
  /// The row with the largest key below the given one; none = there is no such row.
  Row row_below(Key key) const {
    const auto found = first_from({key, Row(0)});
    return found == entries_.begin() ? Row() : std::prev(found)->row;
  }
  /// The row with the smallest key above the given one; none = there is no such row.
  Row row_above(Key key) const {
    const auto found = first_from({key, Row()});
    return found == entries_.end() ? Row() : found->row;
  }
  /// Calls visit(entries) for each key, in ascending order, with the entries of all its rows.
  template <class Visit>
  void for_each_key(const Visit& visit) const {
    for (std::span<const Entry> rest = entries_; !rest.empty();) {
      std::size_t same = 1;
      while (same < rest.size() && rest[same].key == rest.front().key) ++same;
      visit(rest.first(same));
      rest = rest.subspan(same);
    }
  }
  bool empty() const { return entries_.empty(); }
  std::span<const Entry> entries() const { return entries_; }

 private:
  /// The first entry that is no smaller. Most keys of traces count up, so that the place is nearly
  /// known.
  auto first_from(const Entry& wanted) const {
    const auto begin = entries_.begin(), end = entries_.end();
    const auto is_before = [&](const Entry& entry) { return entry < wanted; };
    if (entries_.empty() || !is_before(entries_.front())) return begin;
    const double least = number_of(entries_.front().key), most = number_of(entries_.back().key);
    const double share = (number_of(wanted.key) - least) / (most - least);  // 0 / 0 is no share
    const double place = share < 1 ? share * static_cast<double>(entries_.size() - 1) : 0;
    const auto guess = begin + static_cast<std::ptrdiff_t>(place);
    return partition_point_near(begin, end, share >= 1 ? end : guess, is_before);
  }

  static double number_of(const Key& key) {
    if constexpr (std::is_arithmetic_v<Key>)
      return static_cast<double>(key);
    else
      return static_cast<double>(key.first);
  }

  std::vector<Entry> entries_;
};

}  // namespace nadi
