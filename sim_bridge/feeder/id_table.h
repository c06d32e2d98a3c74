// Node ids and their rows: row r is the r-th smallest id.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nadi {

/// Both directions in O(1). Ids without gaps, as most writers count them, take no memory; others 8
/// bytes and about 7 bytes of open addressing each.
class IdTable {
 public:
  IdTable() = default;
  /// ids: ascending, each once, fewer than kNoIndex.
  explicit IdTable(std::vector<std::uint64_t> ids);

  std::size_t size() const { return size_; }
  std::uint64_t id(std::uint32_t row) const { return ids_.empty() ? first_ + row : ids_[row]; }
  /// kNoIndex = no node has this id.
  std::uint32_t row(std::uint64_t id) const;

 private:
  std::size_t slot_of(std::uint64_t id) const;

  std::size_t size_ = 0;
  std::uint64_t first_ = 0;
  std::vector<std::uint64_t> ids_;    // empty = without gaps
  std::vector<std::uint32_t> slots_;  // kNoIndex = free
};

}  // namespace nadi
