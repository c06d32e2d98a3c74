#include "nadi/chakra/sim_graph.h"

#include <numeric>

namespace nadi {

namespace {

/// sources_of(node): the dependencies that count.
template <class SourcesOf>
Dependents reverse(const SimGraph& graph, const SourcesOf& sources_of) {
  Dependents dependents;
  dependents.begin.assign(graph.size() + 1, 0);
  for (std::size_t node = 0; node < graph.size(); ++node)
    for (const std::uint32_t source : sources_of(node)) ++dependents.begin[source + 1];
  std::partial_sum(dependents.begin.begin(), dependents.begin.end(), dependents.begin.begin());
  dependents.node.resize(dependents.begin.back());
  std::vector<std::uint32_t> next(dependents.begin.begin(), dependents.begin.end() - 1);
  for (std::size_t node = 0; node < graph.size(); ++node)
    for (const std::uint32_t source : sources_of(node))
      dependents.node[next[source]++] = static_cast<std::uint32_t>(node);
  return dependents;
}

}  // namespace

Dependents find_dependents(const SimGraph& graph) {
  return reverse(graph, [&](std::size_t node) { return graph.dependencies(node); });
}

Dependents find_data_dependents(const SimGraph& graph) {
  return reverse(graph, [&](std::size_t node) { return graph.data_dependencies(node); });
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
