// The ids of a file's nodes: their order, those that stand twice, the node of an id, and the ids
// that nodes depend on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "nadi/base/adjacency.h"

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

/// The ids that each node of a file depends on, by its position in the file, as the file has them.
struct FileDependencies {
  ValuesByNode<std::uint64_t> data, ctrl;

  /// Dependencies of all nodes.
  std::size_t size() const { return data.node.size() + ctrl.node.size(); }

  /// Adds the next node's, any ranges of ids. Throws Error (kInput) where `file` has more of them
  /// than a graph can hold.
  template <class Ids>
  void add_node(const std::string& file, const Ids& data_ids, const Ids& ctrl_ids) {
    data.node.insert(data.node.end(), data_ids.begin(), data_ids.end());
    ctrl.node.insert(ctrl.node.end(), ctrl_ids.begin(), ctrl_ids.end());
    require_countable(file);
    data.end_node();
    ctrl.end_node();
  }

 private:
  void require_countable(const std::string& file) const;
};

}  // namespace nadi
