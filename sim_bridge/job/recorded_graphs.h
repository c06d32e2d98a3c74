// The recorded graphs of a job, of which one at a time is looked at.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "nadi/chakra/chakra_graph.h"

namespace nadi {

class RecordedGraphs {
 public:
  using Take = std::function<void(const ChakraGraph& graph)>;
  using Visit = std::function<void(std::size_t graph, const Take& take)>;

  RecordedGraphs() = default;
  /// Graphs that stay in memory.
  RecordedGraphs(std::vector<ChakraGraph> graphs);  // NOLINT(google-explicit-constructor)
  /// Graphs that `visit` gives when they are asked for, each as often as it is asked for.
  RecordedGraphs(std::size_t count, Visit visit) : count_(count), visit_(std::move(visit)) {}

  std::size_t size() const { return count_; }
  /// Calls take(graph), once. Throws what reading the graph throws.
  void visit(std::size_t graph, const Take& take) const { visit_(graph, take); }

 private:
  std::size_t count_ = 0;
  Visit visit_;
};

/// What the graph says of communication: its metadata without the groups, its lanes, and of its
/// nodes those that communicate, without dependencies. About 150 bytes a node.
ChakraGraph communication_of(const ChakraGraph& graph);

}  // namespace nadi
