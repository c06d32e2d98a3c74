// The ids of a file's nodes: their order, those that stand twice, and the node of an id.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nadi {

/// Returns the places of nodes by ascending id, those with one id in the order of the file; empty
/// where that is the order of the file already.
std::vector<std::uint32_t> order_by_id(const std::vector<std::uint64_t>& ids);

/// The i-th node by ascending id. `order`: of order_by_id.
inline std::uint32_t place_by_id(const std::vector<std::uint32_t>& order, std::size_t i) {
  return order.empty() ? static_cast<std::uint32_t>(i) : order[i];
}

/// Calls visit(first, second) for two nodes with one id, of which one comes right behind the other
/// in that order.
template <class Visit>
void for_each_repeated_id(const std::vector<std::uint64_t>& ids,
                          const std::vector<std::uint32_t>& order, const Visit& visit) {
  for (std::size_t i = 1; i < ids.size(); ++i) {
    const std::uint32_t first = place_by_id(order, i - 1), second = place_by_id(order, i);
    if (ids[first] == ids[second]) visit(first, second);
  }
}

/// Returns the place by ascending id of the first node that has the id; kNoIndex = none has it.
/// O(1) where the ids have no gaps before it.
std::uint32_t find_id(const std::vector<std::uint64_t>& ids,
                      const std::vector<std::uint32_t>& order, std::uint64_t id);

}  // namespace nadi
