// Counts the edges of graphs by why they exist and what that rests on.
#pragma once

#include <array>
#include <boost/range/iterator_range.hpp>
#include <cstdint>
#include <numeric>

#include "nadi/model/graph.h"

namespace nadi {

struct EdgeCount {
  std::array<std::uint64_t, kInferenceCount> by_inference{};  ///< of kNone, those that are recorded

  std::uint64_t edges() const {
    return std::accumulate(by_inference.begin(), by_inference.end(), std::uint64_t{0});
  }
  std::uint64_t inferred() const { return edges() - by_inference.front(); }
};
using EdgeCounts = std::array<EdgeCount, kEvidenceCount>;  ///< by evidence

inline void add_edge_counts(const Graph& graph, EdgeCounts& counts) {
  for (const auto& at : boost::make_iterator_range(edges(graph.structure))) {
    const Edge& edge = graph.structure[at];
    ++counts[static_cast<std::size_t>(edge.evidence)]
          .by_inference[static_cast<std::size_t>(edge.inferred)];
  }
}

}  // namespace nadi
