// The edges of loaded graphs that are guesses: what a graph is with and without them.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "nadi/model/graph.h"

namespace nadi {

/// Finds the data dependencies that the graphs record as inferred, and takes them out of the graphs
/// and puts them back. Delay nodes stay, but those of a node that waits for a guess then wait no
/// longer for what was guessed.
class InferredEdges {
 public:
  /// {node that waits, node it waits for}, in ascending order.
  using Edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

  /// The graphs outlive this.
  explicit InferredEdges(std::vector<Graph>& graphs);

  std::uint64_t count() const { return count_; }  ///< edges to delays not counted
  /// Takes the edges out of the graphs, or puts them back.
  void toggle();

 private:
  static GraphStructure without(const Graph& graph, const Edges& guesses);

  std::vector<Graph>& graphs_;
  /// By graph: the edges that it does not have now; nothing where it holds no guess.
  std::vector<std::optional<GraphStructure>> others_;
  std::uint64_t count_ = 0;
};

}  // namespace nadi
