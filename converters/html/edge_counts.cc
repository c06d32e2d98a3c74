#include "nadi/converters/html/edge_counts.h"

#include <boost/range/iterator_range.hpp>
#include <map>

namespace nadi::html {
std::vector<EdgeCount> edge_counts(const ReplayJob& job) {
  std::map<Evidence, EdgeCount> counts;
  for (const Graph& graph : job.graphs)
    for (const auto& edge : boost::make_iterator_range(edges(graph.structure))) {
      const Edge& what = graph.structure[edge];
      EdgeCount& count = counts[what.evidence];
      ++count.edges;
      ++count.by_inference[static_cast<std::size_t>(what.inferred)];
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
