// The shortest cycle of a dependency graph too large for anything but flat columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nadi {

/// Node n waits for on[begin[n]] … on[begin[n + 1] - 1]; begin has one entry more than there are
/// nodes.
struct Waits {
  std::vector<std::size_t> begin{0};
  std::vector<std::uint32_t> on;

  std::size_t node_count() const { return begin.size() - 1; }
};

struct DependencyCycle {
  /// Each waits for the next, the last for the first; empty = the graph has no cycle.
  std::vector<std::uint32_t> nodes;
  /// Nodes on cycles, or between two cycles.
  std::uint64_t tangled = 0;
};

/// A node that waits for itself counts as no cycle here. O(nodes + edges) without a cycle; with one
/// the shortest is searched for by breadth-first search from each tangled node, and after
/// `most_steps` edges the shortest found so far is given.
DependencyCycle find_shortest_cycle(const Waits& waits, std::uint64_t most_steps = 500'000'000);

}  // namespace nadi
