#include "nadi/chakra/dependency_cycle.h"

#include <algorithm>
#include <limits>

namespace nadi {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

// Numbers of the nodes left after those nobody (left) waits for were taken away, again and again.
std::vector<std::uint32_t> peel(const Waits& waits) {
  const std::size_t nodes = waits.node_count();
  std::vector<std::uint32_t> waiting(nodes, 0), free_nodes;
  const auto each_dependency = [&](std::size_t n, auto&& visit) {
    for (std::size_t e = waits.begin[n]; e < waits.begin[n + 1]; ++e)
      if (waits.on[e] != n) visit(waits.on[e]);
  };
  for (std::size_t n = 0; n < nodes; ++n)
    each_dependency(n, [&](std::uint32_t on) { ++waiting[on]; });
  for (std::size_t n = 0; n < nodes; ++n)
    if (waiting[n] == 0) free_nodes.push_back(static_cast<std::uint32_t>(n));
  std::vector<bool> is_left(nodes, true);
  while (!free_nodes.empty()) {
    const std::uint32_t n = free_nodes.back();
    free_nodes.pop_back();
    is_left[n] = false;
    each_dependency(n, [&](std::uint32_t on) {
      if (--waiting[on] == 0) free_nodes.push_back(on);
    });
  }
  std::vector<std::uint32_t> left;
  for (std::size_t n = 0; n < nodes; ++n)
    if (is_left[n]) left.push_back(static_cast<std::uint32_t>(n));
  return left;
}

// The graph among `kept` (ascending), renumbered by place in it, without waits for oneself.
Waits subgraph(const Waits& waits, const std::vector<std::uint32_t>& kept) {
  std::vector<std::uint32_t> number(waits.node_count(), kNone);
  for (std::size_t i = 0; i < kept.size(); ++i) number[kept[i]] = static_cast<std::uint32_t>(i);
  Waits sub;
  for (const std::uint32_t n : kept) {
    for (std::size_t e = waits.begin[n]; e < waits.begin[n + 1]; ++e)
      if (number[waits.on[e]] != kNone && waits.on[e] != n) sub.on.push_back(number[waits.on[e]]);
    sub.begin.push_back(sub.on.size());
  }
  return sub;
}

Waits reversed(const Waits& waits) {
  Waits back;
  back.begin.assign(waits.node_count() + 1, 0);
  back.on.resize(waits.on.size());
  for (const std::uint32_t on : waits.on) ++back.begin[on + 1];
  for (std::size_t n = 0; n < waits.node_count(); ++n) back.begin[n + 1] += back.begin[n];
  std::vector<std::size_t> next(back.begin.begin(), back.begin.end() - 1);
  for (std::size_t n = 0; n < waits.node_count(); ++n)
    for (std::size_t e = waits.begin[n]; e < waits.begin[n + 1]; ++e)
      back.on[next[waits.on[e]]++] = static_cast<std::uint32_t>(n);
  return back;
}

// Where every node waits for another, walking on must come back to a node: any cycle, cheaply.
std::vector<std::uint32_t> any_cycle(const Waits& waits) {
  std::vector<std::uint32_t> place(waits.node_count(), kNone), path;
  std::uint32_t n = 0;
  while (place[n] == kNone) {
    place[n] = static_cast<std::uint32_t>(path.size());
    path.push_back(n);
    n = waits.on[waits.begin[n]];
  }
  path.erase(path.begin(), path.begin() + place[n]);
  return path;
}

// Breadth-first searches that share their tables.
class CycleSearch {
 public:
  explicit CycleSearch(const Waits& waits)
      : waits_(waits), seen_by_(waits.node_count(), kNone), came_from_(waits.node_count()) {}

  // A cycle through `start` of fewer than `limit` nodes, shortest first; empty = there is none.
  std::vector<std::uint32_t> through(std::uint32_t start, std::size_t limit, std::uint64_t& steps) {
    level_.assign(1, start);
    for (std::size_t length = 1; length < limit && !level_.empty(); ++length) {
      next_level_.clear();
      for (const std::uint32_t n : level_) {
        for (std::size_t e = waits_.begin[n]; e < waits_.begin[n + 1]; ++e) {
          ++steps;
          const std::uint32_t on = waits_.on[e];
          if (on == start) return path_to(n, start);
          if (seen_by_[on] == start) continue;
          seen_by_[on] = start;
          came_from_[on] = n;
          next_level_.push_back(on);
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

  const Waits& waits_;
  std::vector<std::uint32_t> seen_by_, came_from_, level_, next_level_;
};

}  // namespace

DependencyCycle find_shortest_cycle(const Waits& waits, std::uint64_t most_steps) {
  const std::vector<std::uint32_t> upstream = peel(waits);
  if (upstream.empty()) return {};
  const Waits half = subgraph(waits, upstream);
  const std::vector<std::uint32_t> core = peel(reversed(half));
  const Waits tangled = subgraph(half, core);

  std::vector<std::uint32_t> best = any_cycle(tangled);
  CycleSearch search(tangled);
  std::uint64_t steps = 0;
  for (std::uint32_t n = 0; n < tangled.node_count() && best.size() > 2 && steps < most_steps;
       ++n) {
    const auto found = search.through(n, best.size(), steps);
    if (!found.empty()) best = found;
  }
  for (std::uint32_t& n : best) n = upstream[core[n]];
  return {best, core.size()};
}

}  // namespace nadi
