#include "nadi/sim_bridge/feeder/id_table.h"

#include <bit>

#include "nadi/base/id_map.h"
#include "nadi/base/index.h"

namespace nadi {

IdTable::IdTable(std::vector<std::uint64_t> ids) : size_(ids.size()) {
  if (ids.empty()) return;
  first_ = ids.front();
  if (ids.back() - first_ == size_ - 1) return;
  ids_ = std::move(ids);
  slots_.assign(std::bit_ceil(size_ + size_ / 2), kNoIndex);
  for (std::size_t row = 0; row < size_; ++row)
    slots_[slot_of(ids_[row])] = static_cast<std::uint32_t>(row);
}

std::uint32_t IdTable::row(std::uint64_t id) const {
  if (!slots_.empty()) return slots_[slot_of(id)];
  return id >= first_ && id - first_ < size_ ? static_cast<std::uint32_t>(id - first_) : kNoIndex;
}

// The slot that holds the id, or the free one where it would be.
std::size_t IdTable::slot_of(std::uint64_t id) const {
  std::size_t slot = IdHash()(id) & (slots_.size() - 1);
  while (slots_[slot] != kNoIndex && ids_[slots_[slot]] != id)
    slot = (slot + 1) & (slots_.size() - 1);
  return slot;
}

}  // namespace nadi
