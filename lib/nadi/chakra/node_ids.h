// The ids of a file's nodes: their order, those that stand twice, the node of an id, and the nodes
// that nodes depend on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "nadi/base/adjacency.h"
#include "nadi/base/index.h"
#include "nadi/base/sort_unique.h"

namespace nadi {

/// Returns the positions of nodes by ascending id, those with one id in the order of the file;
/// empty where that is the order of the file already.
std::vector<std::uint32_t> order_by_id(const std::vector<std::uint64_t>& ids);

/// The i-th node by ascending id. `order`: of order_by_id.
inline std::uint32_t position_by_id(const std::vector<std::uint32_t>& order, std::size_t i) {
  return order.empty() ? static_cast<std::uint32_t>(i) : order[i];
}

/// Calls visit(first, second) for two nodes with one id, of which one comes right behind the other
/// in that order.
template <class Visit>
void for_each_repeated_id(const std::vector<std::uint64_t>& ids,
                          const std::vector<std::uint32_t>& order, const Visit& visit) {
  for (std::size_t i = 1; i < ids.size(); ++i) {
    const std::uint32_t first = position_by_id(order, i - 1), second = position_by_id(order, i);
    if (ids[first] == ids[second]) visit(first, second);
  }
}

/// Returns the position by ascending id of the first node that has the id; kNoIndex = none has it.
/// O(1) where the ids have no gaps before it.
std::uint32_t find_id(const std::vector<std::uint64_t>& ids,
                      const std::vector<std::uint32_t>& order, std::uint64_t id);

/// Returns which node waits for which on a cycle: "node 3 waits for node 5 waits for node 3", of
/// many the first 24. `ids`: at least one; each depends on the next, the last on the first.
std::string cycle_text(const std::vector<std::uint64_t>& ids);

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

/// The nodes that each node of a file depends on, by its position in the file: ascending, each
/// once, numbered as find_id does.
struct FileSources {
  Adjacency data, ctrl;

  /// Those of both, of nodes that are at these positions; no positions: node n is at n.
  Adjacency together(std::size_t nodes, const std::vector<std::uint32_t>& positions) const;
};

/// Finds the nodes of `dependencies`, which are gone afterwards; calls
/// missing(position, id, is_control) for each that the file has not. `ids`, `order`: as of find_id.
template <class Missing>
FileSources find_sources(FileDependencies dependencies, const std::vector<std::uint64_t>& ids,
                         const std::vector<std::uint32_t>& order, const Missing& missing) {
  FileSources sources;
  std::vector<std::uint32_t> found;
  const auto add = [&](std::size_t position, bool is_control) {
    found.clear();
    for (const std::uint64_t id : (is_control ? dependencies.ctrl : dependencies.data).of(position))
      if (const std::uint32_t on = find_id(ids, order, id); on != kNoIndex)
        found.push_back(on);
      else
        missing(position, id, is_control);
    sort_unique(found);
    Adjacency& by_position = is_control ? sources.ctrl : sources.data;
    by_position.node.insert(by_position.node.end(), found.begin(), found.end());
    by_position.end_node();
  };
  for (std::size_t position = 0; position < dependencies.data.size(); ++position) {
    add(position, false);
    add(position, true);
  }
  return sources;
}

}  // namespace nadi
