#include "nadi/converters/html/edge_counts.h"

#include <map>

#include "nadi/emit/edge_evidence.h"

namespace nadi::html {
namespace {

EdgeEnds ends_of(const SimGraph& graph, std::uint32_t source, std::uint32_t target) {
  const bool has_delay =
      graph.kind[source] == SimNodeKind::kDelay || graph.kind[target] == SimNodeKind::kDelay;
  return {graph.is_device(source), graph.is_device(target), has_delay,
          graph.lane[source] == graph.lane[target]};
}

}  // namespace

std::vector<EdgeCount> edge_counts(const ReplayJob& job) {
  std::map<Evidence, EdgeCount> counts;
  for (const SimGraph& graph : job.graphs)
    for (std::uint32_t row = 0; row < graph.size(); ++row) {
      const ToldEvidence told(
          graph.edge_evidence.empty() ? "" : graph.strings[graph.edge_evidence[row]]);
      for (const std::uint32_t source : graph.data_dependencies(row)) {
        const Edge edge = told.of(graph.id[source], ends_of(graph, source, row));
        EdgeCount& count = counts[edge.evidence];
        ++count.edges;
        if (edge.inferred) ++count.inferred;
      }
      if (const auto nesting = graph.ctrl_dependencies(row).size(); nesting > 0)
        counts[Evidence::kNesting].edges += nesting;
    }
  std::vector<EdgeCount> rows;
  rows.reserve(counts.size());
  for (const auto& [evidence, count] : counts)
    rows.push_back({evidence, count.edges, count.inferred});
  return rows;
}

}  // namespace nadi::html
