#include "nadi/sim_bridge/feeder/cycle.h"

#include <algorithm>

#include "nadi/base/index.h"

namespace nadi {

namespace {

struct Edges {
  std::span<const std::uint32_t> begin, dependent;

  std::span<const std::uint32_t> of(std::uint32_t row) const {
    return dependent.subspan(begin[row], begin[row + 1] - begin[row]);
  }
};

/// What each row still waits for when all that can run has run (Kahn's algorithm).
std::vector<std::uint32_t> run_all(const Edges& edges,
                                   std::span<const std::uint32_t> dependency_count) {
  std::vector<std::uint32_t> waiting(dependency_count.begin(), dependency_count.end());
  std::vector<std::uint32_t> ready;
  for (std::uint32_t row = 0; row < waiting.size(); ++row)
    if (waiting[row] == 0) ready.push_back(row);
  while (!ready.empty()) {
    const std::uint32_t row = ready.back();
    ready.pop_back();
    for (const std::uint32_t next : edges.of(row))
      if (--waiting[next] == 0) ready.push_back(next);
  }
  return waiting;
}

/// A row on a cycle among the rows that wait; kNoIndex = none does. Depth first: an edge to a row
/// of the current path closes one.
std::uint32_t row_on_cycle(const Edges& edges, const std::vector<std::uint32_t>& waiting) {
  enum : std::uint8_t { kNew, kOnPath, kDone };
  std::vector<std::uint8_t> state(waiting.size(), kNew);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> path;  // row, next edge
  for (std::uint32_t root = 0; root < waiting.size(); ++root) {
    if (waiting[root] == 0 || state[root] != kNew) continue;
    path.emplace_back(root, 0);
    state[root] = kOnPath;
    while (!path.empty()) {
      auto& [row, edge] = path.back();
      const auto dependents = edges.of(row);
      if (edge == dependents.size()) {
        state[row] = kDone;
        path.pop_back();
        continue;
      }
      const std::uint32_t next = dependents[edge++];
      if (state[next] == kOnPath) return next;
      if (state[next] == kNew) {
        state[next] = kOnPath;
        path.emplace_back(next, 0);
      }
    }
  }
  return kNoIndex;
}

/// The shortest way from a row of a cycle back to it, breadth first.
std::vector<std::uint32_t> shortest_way_round(const Edges& edges, std::uint32_t start) {
  std::vector<std::uint32_t> reached_from(edges.begin.size() - 1, kNoIndex);
  std::vector<std::uint32_t> queue{start};
  for (std::size_t at = 0; reached_from[start] == kNoIndex && at < queue.size(); ++at)
    for (const std::uint32_t next : edges.of(queue[at])) {
      if (reached_from[next] != kNoIndex) continue;
      reached_from[next] = queue[at];
      queue.push_back(next);
    }
  std::vector<std::uint32_t> rows{start};
  for (std::uint32_t row = reached_from[start]; row != start; row = reached_from[row])
    rows.push_back(row);
  std::reverse(rows.begin() + 1, rows.end());
  return rows;
}

}  // namespace

Cycle find_cycle(std::span<const std::uint32_t> begin, std::span<const std::uint32_t> dependent,
                 std::span<const std::uint32_t> dependency_count) {
  const Edges edges{begin, dependent};
  const auto waiting = run_all(edges, dependency_count);
  Cycle cycle;
  const auto finished = std::count(waiting.begin(), waiting.end(), 0U);
  cycle.blocked = waiting.size() - static_cast<std::size_t>(finished);
  if (cycle.blocked > 0) cycle.rows = shortest_way_round(edges, row_on_cycle(edges, waiting));
  return cycle;
}

}  // namespace nadi
