#include "nadi/base/adjacency.h"

#include <algorithm>

namespace nadi {
namespace {

// The graph among `kept` (ascending), renumbered by position in it.
Adjacency subgraph(const Adjacency& edges, const std::vector<std::uint32_t>& kept) {
  std::vector<std::uint32_t> number(edges.size(), kNoIndex);
  for (std::size_t i = 0; i < kept.size(); ++i) number[kept[i]] = static_cast<std::uint32_t>(i);
  Adjacency sub;
  for (const std::uint32_t n : kept) {
    for (const std::uint32_t target : edges.of(n))
      if (number[target] != kNoIndex) sub.node.push_back(number[target]);
    sub.end_node();
  }
  return sub;
}

// Where an edge leaves every node, walking on must come back to a node: any cycle, cheaply.
std::vector<std::uint32_t> any_cycle(const Adjacency& edges) {
  std::vector<std::uint32_t> position(edges.size(), kNoIndex), path;
  std::uint32_t n = 0;
  while (position[n] == kNoIndex) {
    position[n] = static_cast<std::uint32_t>(path.size());
    path.push_back(n);
    n = edges.of(n).front();
  }
  path.erase(path.begin(), path.begin() + position[n]);
  return path;
}

// Breadth-first searches that share their tables.
class CycleSearch {
 public:
  explicit CycleSearch(const Adjacency& edges)
      : edges_(edges), seen_by_(edges.size(), kNoIndex), came_from_(edges.size()) {}

  // A cycle through `start` of fewer than `limit` nodes, shortest first; empty = there is none.
  std::vector<std::uint32_t> through(std::uint32_t start, std::size_t limit, std::uint64_t& steps) {
    level_.assign(1, start);
    for (std::size_t length = 1; length < limit && !level_.empty(); ++length) {
      next_level_.clear();
      for (const std::uint32_t n : level_) {
        for (const std::uint32_t target : edges_.of(n)) {
          ++steps;
          if (target == start) return path_to(n, start);
          if (seen_by_[target] == start) continue;
          seen_by_[target] = start;
          came_from_[target] = n;
          next_level_.push_back(target);
        }
      }
      level_.swap(next_level_);
    }
    return {};
  }

 private:
  std::vector<std::uint32_t> path_to(std::uint32_t last, std::uint32_t start) const {
    std::vector<std::uint32_t> path{last};
    while (path.back() != start) path.push_back(came_from_[path.back()]);
    std::reverse(path.begin(), path.end());
    return path;
  }

  const Adjacency& edges_;
  std::vector<std::uint32_t> seen_by_, came_from_, level_, next_level_;
};

}  // namespace

Cycle find_shortest_cycle(const Adjacency& edges, std::uint64_t most_steps) {
  const std::vector<std::uint32_t> downstream = find_blocked(edges);
  if (downstream.empty()) return {};
  const Adjacency half = subgraph(edges, downstream);
  const std::vector<std::uint32_t> core =
      find_blocked(reversed(half.size(), [&](std::size_t n) { return half.of(n); }));
  const Adjacency tangled = subgraph(half, core);

  std::vector<std::uint32_t> best = any_cycle(tangled);
  CycleSearch search(tangled);
  std::uint64_t steps = 0;
  for (std::uint32_t n = 0; n < tangled.size() && best.size() > 1 && steps < most_steps; ++n) {
    const auto found = search.through(n, best.size(), steps);
    if (!found.empty()) best = found;
  }
  for (std::uint32_t& n : best) n = downstream[core[n]];
  return {best, core.size()};
}

}  // namespace nadi
