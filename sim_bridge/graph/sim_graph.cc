#include "nadi/sim_bridge/graph/sim_graph.h"

#include <numeric>

namespace nadi {

Dependents find_dependents(const SimGraph& graph) {
  Dependents dependents;
  dependents.begin.assign(graph.size() + 1, 0);
  for (const std::uint32_t source : graph.dependency) ++dependents.begin[source + 1];
  std::partial_sum(dependents.begin.begin(), dependents.begin.end(), dependents.begin.begin());
  dependents.node.resize(graph.dependency.size());
  std::vector<std::uint32_t> next(dependents.begin.begin(), dependents.begin.end() - 1);
  for (std::size_t node = 0; node < graph.size(); ++node)
    for (const std::uint32_t source : graph.dependencies(node))
      dependents.node[next[source]++] = static_cast<std::uint32_t>(node);
  return dependents;
}

std::vector<std::uint32_t> topological_order(const SimGraph& graph) {
  const Dependents dependents = find_dependents(graph);
  std::vector<std::uint32_t> waits_for(graph.size()), order;
  order.reserve(graph.size());
  for (std::size_t node = 0; node < graph.size(); ++node) {
    waits_for[node] = static_cast<std::uint32_t>(graph.dependencies(node).size());
    if (waits_for[node] == 0) order.push_back(static_cast<std::uint32_t>(node));
  }
  for (std::size_t i = 0; i < order.size(); ++i)
    for (const std::uint32_t dependent : dependents.of(order[i]))
      if (--waits_for[dependent] == 0) order.push_back(dependent);
  return order;
}

}  // namespace nadi
