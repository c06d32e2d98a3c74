#include "nadi/converters/inferred_edges.h"

#include <algorithm>

#include "nadi/emit/edge_evidence.h"

namespace nadi {
namespace {

InferredEdges::Edges find_guesses(const ChakraGraph& graph) {
  InferredEdges::Edges guesses;
  for (std::uint32_t row = 0; row < graph.edge_evidence.size(); ++row) {
    if (graph.strings[graph.edge_evidence[row]].find('?') == std::string_view::npos) continue;
    const RowEvidence evidence(graph, row);
    for (const std::uint32_t source : graph.data_dependencies(row))
      if (is_guess(evidence.from(source).inferred)) guesses.emplace_back(row, source);
  }
  return guesses;
}

/// The delays that the node waits for: few, of a graph that nadi wrote.
std::vector<std::uint32_t> delays_before(const ChakraGraph& graph, std::uint32_t row) {
  constexpr std::size_t kMostDelays = 64;
  std::vector<std::uint32_t> delays;
  for (const std::uint32_t source : graph.data_dependencies(row))
    if (graph.kind[source] == ChakraNodeKind::kDelay && delays.size() < kMostDelays)
      delays.push_back(source);
  return delays;
}

/// Adds the way of each guess through the delays before the node that waits.
void add_ways_through_delays(const ChakraGraph& graph, InferredEdges::Edges& guesses) {
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

InferredEdges::InferredEdges(std::vector<ChakraGraph>& graphs)
    : graphs_(graphs), others_(graphs.size()) {
  for (std::size_t of = 0; of < graphs.size(); ++of) {
    Edges guesses = find_guesses(graphs[of]);
    if (guesses.empty()) continue;
    count_ += guesses.size();
    add_ways_through_delays(graphs[of], guesses);
    others_[of] = without(graphs[of], guesses);
  }
}

InferredEdges::Dependencies InferredEdges::without(const ChakraGraph& graph, const Edges& edges) {
  Dependencies left;
  left.dependency_begin.reserve(graph.size() + 1);
  left.dependency.reserve(graph.dependency.size());
  left.ctrl_begin.reserve(graph.size());
  left.dependency_begin.push_back(0);
  for (std::uint32_t row = 0; row < graph.size(); ++row) {
    for (const std::uint32_t source : graph.data_dependencies(row))
      if (!std::binary_search(edges.begin(), edges.end(), std::pair{row, source}))
        left.dependency.push_back(source);
    left.ctrl_begin.push_back(static_cast<std::uint32_t>(left.dependency.size()));
    const auto ctrl = graph.ctrl_dependencies(row);
    left.dependency.insert(left.dependency.end(), ctrl.begin(), ctrl.end());
    left.dependency_begin.push_back(static_cast<std::uint32_t>(left.dependency.size()));
  }
  return left;
}

void InferredEdges::toggle() {
  for (std::size_t of = 0; of < graphs_.size(); ++of) {
    Dependencies& other = others_[of];
    if (other.dependency_begin.empty()) continue;
    graphs_[of].dependency_begin.swap(other.dependency_begin);
    graphs_[of].dependency.swap(other.dependency);
    graphs_[of].ctrl_begin.swap(other.ctrl_begin);
  }
}

}  // namespace nadi
