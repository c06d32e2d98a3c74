// Finds what each node of a graph waited for last, and which delays are no waits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nadi/base/adjacency.h"
#include "nadi/model/graph.h"

namespace nadi {

/// True of a delay in which the device itself was at work.
inline bool is_of_device(const Graph& graph, std::size_t delay) {
  const Sources sources = graph.dependencies(delay);
  for (auto source = sources.begin(); source != sources.end(); ++source)
    if (is_of_device(source.edge().evidence)) return true;
  return false;
}

/// By node: what it depends on that ends last by end_of(node), of those that end together the last
/// one; kNoIndex = nothing. Delays end nothing but stand for what they depend on themselves, where
/// is_wait(delay). Of nodes on a cycle, or behind one, nothing is known.
template <class EndOf, class IsWait>
std::vector<std::uint32_t> last_sources(const Graph& graph, const EndOf& end_of,
                                        const IsWait& is_wait) {
  std::vector<std::uint32_t> last(graph.size(), kNoIndex);
  for (const std::uint32_t node : topological_order(DependentsOf{graph}))
    for (std::uint32_t source : graph.dependencies(node)) {
      if (graph.kind[source] == NodeKind::kDelay && is_wait(source)) source = last[source];
      if (source != kNoIndex && (last[node] == kNoIndex || end_of(source) >= end_of(last[node])))
        last[node] = source;
    }
  return last;
}

/// The same, where all delays are waits.
template <class EndOf>
std::vector<std::uint32_t> last_sources(const Graph& graph, const EndOf& end_of) {
  return last_sources(graph, end_of, [](std::uint32_t) { return true; });
}

}  // namespace nadi
