// Finds the rows of a table that hold a key: correlation, record-function id, External id.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace nadi {

/// Rows by key, many rows a key; rows of one key come in ascending order. 12 to 16 bytes a row.
template <class Key>
class KeyIndex {
 public:
  struct Entry {
    Key key;
    std::uint32_t row;
    friend bool operator<(const Entry& a, const Entry& b) {
      return a.key != b.key ? a.key < b.key : a.row < b.row;
    }
  };

  /// keys[row] is the row's key; rows whose key equals none are left out.
  KeyIndex(const std::vector<Key>& keys, Key none) {
    entries_.reserve(keys.size());
    for (std::uint32_t row = 0; row < keys.size(); ++row)
      if (keys[row] != none) entries_.push_back({keys[row], row});
    if (!std::is_sorted(entries_.begin(), entries_.end()))
      std::sort(entries_.begin(), entries_.end());
  }

  /// All rows of the key.
  std::span<const Entry> rows(Key key) const {
    const auto first = std::lower_bound(entries_.begin(), entries_.end(), Entry{key, 0});
    return {first, std::upper_bound(first, entries_.end(), Entry{key, 0xffffffffU})};
  }
  /// The row with the largest key below the given one, or kNoIndex.
  std::uint32_t row_below(Key key) const {
    auto place = std::lower_bound(entries_.begin(), entries_.end(), Entry{key, 0});
    return place == entries_.begin() ? 0xffffffffU : std::prev(place)->row;
  }
  /// The row with the smallest key above the given one, or kNoIndex.
  std::uint32_t row_above(Key key) const {
    auto place = std::upper_bound(entries_.begin(), entries_.end(), Entry{key, 0xffffffffU});
    return place == entries_.end() ? 0xffffffffU : place->row;
  }
  bool empty() const { return entries_.empty(); }
  std::span<const Entry> entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
};

}  // namespace nadi
