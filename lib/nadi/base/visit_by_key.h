// Visits the nodes of a graph in the order of a key, as far as its edges allow.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <type_traits>
#include <utility>
#include <vector>

#include "nadi/base/adjacency.h"

namespace nadi {

/// Calls visit(node) for every node behind all that have an edge to it (Kahn's algorithm): of the
/// nodes that wait for nothing more, the one with the least key_of(node), then the least number.
/// The key is asked for once, when the last of what a node waits for has been visited: visit may
/// change it. Nodes on a cycle, and those behind one, are left out.
template <class KeyOf, class Visit>
void visit_by_key(const Adjacency& edges, const KeyOf& key_of, const Visit& visit) {
  using Ready = std::pair<std::decay_t<decltype(key_of(std::uint32_t{}))>, std::uint32_t>;
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
  std::vector<std::uint32_t> waits_for = count_sources(edges);
  for (std::uint32_t node = 0; node < edges.size(); ++node)
    if (waits_for[node] == 0) ready.emplace(key_of(node), node);
  while (!ready.empty()) {
    const std::uint32_t node = ready.top().second;
    ready.pop();
    visit(node);
    for (const std::uint32_t behind : edges.of(node))
      if (--waits_for[behind] == 0) ready.emplace(key_of(behind), behind);
  }
}

}  // namespace nadi
