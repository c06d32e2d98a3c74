// The edges of loaded graphs that are guesses: what a graph is with and without them.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "nadi/chakra/chakra_graph.h"

namespace nadi {

/// Finds the data dependencies that the graphs record as inferred, and takes them out of the graphs
/// and puts them back. Delay nodes stay, but those of a node that waits for a guess then wait no
/// longer for what was guessed.
class InferredEdges {
 public:
  /// {node that waits, node it waits for}, in ascending order.
  using Edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

  /// The graphs were loaded with LoadOptions::parents (else there are no guesses) and outlive this.
  explicit InferredEdges(std::vector<ChakraGraph>& graphs);

  std::uint64_t count() const { return count_; }  ///< edges to delays not counted
  /// Takes the edges out of the graphs, or puts them back.
  void toggle();

 private:
  /// The columns of a ChakraGraph of these names; empty where it holds no guess.
  struct Dependencies {
    std::vector<std::uint32_t> dependency_begin, dependency, ctrl_begin;
  };
  static Dependencies without(const ChakraGraph& graph, const Edges& edges);

  std::vector<ChakraGraph>& graphs_;
  std::vector<Dependencies> others_;  ///< by graph: those that it does not have now
  std::uint64_t count_ = 0;
};

}  // namespace nadi
