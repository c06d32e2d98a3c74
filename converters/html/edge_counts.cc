#include "nadi/converters/html/edge_counts.h"

#include <map>

#include "nadi/emit/edge_evidence.h"

namespace nadi::html {
std::vector<EdgeCount> edge_counts(const ReplayJob& job) {
  std::map<Evidence, EdgeCount> counts;
  for (const ChakraGraph& graph : job.graphs)
    for (std::uint32_t row = 0; row < graph.size(); ++row) {
      const RowEvidence evidence(graph, row);
      for (const std::uint32_t source : graph.data_dependencies(row)) {
        const Edge edge = evidence.from(source);
        EdgeCount& count = counts[edge.evidence];
        ++count.edges;
        ++count.by_inference[static_cast<std::size_t>(edge.inferred)];
      }
      if (const auto nesting = graph.ctrl_dependencies(row).size(); nesting > 0) {
        EdgeCount& count = counts[Evidence::kNesting];
        count.edges += nesting;
        count.by_inference.front() += nesting;
      }
    }
  std::vector<EdgeCount> rows;
  rows.reserve(counts.size());
  for (auto& [evidence, count] : counts) {
    count.evidence = evidence;
    rows.push_back(count);
  }
  return rows;
}

}  // namespace nadi::html
