#include "nadi/converters/inferred_edges.h"

#include <algorithm>
#include <boost/range/iterator_range.hpp>

namespace nadi {
namespace {

InferredEdges::Edges find_guesses(const Graph& graph) {
  InferredEdges::Edges guesses;
  for (std::uint32_t row = 0; row < graph.size(); ++row) {
    const Sources sources = graph.data_dependencies(row);
    for (auto source = sources.begin(); source != sources.end(); ++source)
      if (is_guess(source.edge().inferred)) guesses.emplace_back(row, *source);
  }
  return guesses;
}

/// The delays that the node waits for: few, of a graph that nadi wrote.
std::vector<std::uint32_t> delays_before(const Graph& graph, std::uint32_t row) {
  constexpr std::size_t kMostDelays = 64;
  std::vector<std::uint32_t> delays;
  for (const std::uint32_t source : graph.data_dependencies(row))
    if (graph.kind[source] == NodeKind::kDelay && delays.size() < kMostDelays)
      delays.push_back(source);
  return delays;
}

/// Adds the way of each guess through the delays before the node that waits.
void add_ways_through_delays(const Graph& graph, InferredEdges::Edges& guesses) {
  const std::size_t own = guesses.size();
  std::vector<std::uint32_t> delays;
  for (std::size_t i = 0; i < own; ++i) {  // by node that waits
    const auto [row, source] = guesses[i];
    if (i == 0 || row != guesses[i - 1].first) delays = delays_before(graph, row);
    for (const std::uint32_t delay : delays) guesses.emplace_back(delay, source);
  }
  std::sort(guesses.begin(), guesses.end());
}

}  // namespace

InferredEdges::InferredEdges(std::vector<Graph>& graphs) : graphs_(graphs), others_(graphs.size()) {
  for (std::size_t of = 0; of < graphs.size(); ++of) {
    Edges guesses = find_guesses(graphs[of]);
    if (guesses.empty()) continue;
    count_ += guesses.size();
    add_ways_through_delays(graphs[of], guesses);
    others_[of] = without(graphs[of], guesses);
  }
}

GraphStructure InferredEdges::without(const Graph& graph, const Edges& guesses) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ends;
  std::vector<Edge> left;
  for (const auto& edge : boost::make_iterator_range(edges(graph.structure))) {
    const std::uint32_t from = source(edge, graph.structure), to = target(edge, graph.structure);
    const Edge& what = graph.structure[edge];
    if (!what.is_control && std::binary_search(guesses.begin(), guesses.end(), std::pair{to, from}))
      continue;
    ends.emplace_back(from, to);
    left.push_back(what);
  }
  return GraphStructure(boost::edges_are_unsorted_multi_pass, ends.begin(), ends.end(),
                        left.begin(), static_cast<std::uint32_t>(graph.size()));
}

void InferredEdges::toggle() {
  for (std::size_t of = 0; of < graphs_.size(); ++of)
    if (others_[of]) std::swap(graphs_[of].structure, *others_[of]);
}

}  // namespace nadi
