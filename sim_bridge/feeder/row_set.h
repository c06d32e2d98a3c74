// A set of row numbers that gives its smallest member, and the next after any, in four steps.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nadi/base/index.h"

namespace nadi {

/// Bits in words, and above them a bit per word that is not empty, up to a single word. All
/// operations take a step per level (64^4 rows have four), whatever the set holds.
class RowSet {
 public:
  /// Empty, for rows below `size`.
  explicit RowSet(std::size_t size = 0) {
    do {
      size = (size + 63) / 64;
      levels_.emplace_back(size, 0);
    } while (size > 1);
  }

  /// Number of members.
  std::size_t count() const { return count_; }
  bool contains(std::uint32_t row) const { return (levels_[0][row / 64] >> (row % 64) & 1U) != 0; }

  void insert(std::uint32_t row) {
    count_ += contains(row) ? 0 : 1;
    for (auto& level : levels_) {
      level[row / 64] |= std::uint64_t{1} << (row % 64);
      row /= 64;
    }
  }

  void erase(std::uint32_t row) {
    if (!contains(row)) return;
    --count_;
    for (auto& level : levels_) {
      level[row / 64] &= ~(std::uint64_t{1} << (row % 64));
      if (level[row / 64] != 0) return;
      row /= 64;
    }
  }

  /// The smallest member that is `from` or more; kNoIndex = there is none.
  std::uint32_t next(std::uint32_t from) const {
    std::uint64_t at = from;
    for (std::size_t level = 0; level < levels_.size(); ++level) {
      const std::uint64_t word = at / 64;
      if (word >= levels_[level].size()) return kNoIndex;
      const std::uint64_t rest = levels_[level][word] >> (at % 64);
      if (rest != 0) return descend(level, at + static_cast<unsigned>(std::countr_zero(rest)));
      at = word + 1;
    }
    return kNoIndex;
  }

 private:
  std::uint32_t descend(std::size_t level, std::uint64_t at) const {
    for (; level > 0; --level)
      at = at * 64 + static_cast<unsigned>(std::countr_zero(levels_[level - 1][at]));
    return static_cast<std::uint32_t>(at);
  }

  std::vector<std::vector<std::uint64_t>> levels_;  // levels_[0]: a bit per row
  std::size_t count_ = 0;
};

}  // namespace nadi
