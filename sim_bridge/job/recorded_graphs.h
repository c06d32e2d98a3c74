// The recorded graphs of a job, of which one at a time is looked at.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "nadi/chakra/message_stream.h"
#include "nadi/model/graph.h"

namespace nadi {

class RecordedGraphs {
 public:
  using Take = std::function<void(const Graph& graph)>;
  using Visit = std::function<void(std::size_t graph, const Take& take)>;
  using Open = std::function<MessageStream(std::size_t graph)>;

  RecordedGraphs() = default;
  /// Graphs that stay in memory.
  RecordedGraphs(std::vector<Graph> graphs);  // NOLINT(google-explicit-constructor)
  /// Graphs that `visit` gives when they are asked for, each as often as it is asked for. `open`:
  /// their messages as they were written.
  RecordedGraphs(std::size_t count, Visit visit, Open open = nullptr)
      : count_(count), visit_(std::move(visit)), open_(std::move(open)) {}

  std::size_t size() const { return count_; }
  /// Calls take(graph), once. Throws what reading the graph throws.
  void visit(std::size_t graph, const Take& take) const { visit_(graph, take); }
  /// False of graphs that were never written.
  bool have_messages() const { return open_ != nullptr; }
  MessageStream open(std::size_t graph) const { return open_(graph); }

 private:
  std::size_t count_ = 0;
  Visit visit_;
  Open open_;
};

/// What the graph says of communication: its metadata without the groups, its lanes, and of its
/// nodes those that communicate, without dependencies. About 150 bytes a node.
Graph communication_of(const Graph& graph);

}  // namespace nadi
