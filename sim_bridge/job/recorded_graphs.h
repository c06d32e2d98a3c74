// The recorded graphs of a job, of which one at a time is looked at.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include "nadi/model/graph.h"

namespace ChakraProtoMsg {
class GlobalMetadata;
class Node;
}  // namespace ChakraProtoMsg

namespace nadi {

/// What is called with the messages of a graph file.
struct MessageTakers {
  std::function<void(const ChakraProtoMsg::GlobalMetadata& metadata)> metadata;  ///< once, first
  /// `bytes`: the message as it stands in the file; empty where it was changed since.
  std::function<void(ChakraProtoMsg::Node& node, std::string_view bytes)> node;
};

class RecordedGraphs {
 public:
  using Take = std::function<void(const Graph& graph)>;
  using Visit = std::function<void(std::size_t graph, const Take& take)>;
  using Read = std::function<void(std::size_t graph, const MessageTakers& take)>;

  RecordedGraphs() = default;
  /// Graphs that stay in memory.
  RecordedGraphs(std::vector<Graph> graphs);  // NOLINT(google-explicit-constructor)
  /// Graphs that `visit` gives when they are asked for, each as often as it is asked for. `read`:
  /// gives the messages of their files.
  RecordedGraphs(std::size_t count, Visit visit, Read read = nullptr)
      : count_(count), visit_(std::move(visit)), read_(std::move(read)) {}

  std::size_t size() const { return count_; }
  /// Calls take(graph), once. Throws what reading the graph throws.
  void visit(std::size_t graph, const Take& take) const { visit_(graph, take); }
  /// False of graphs that were never written.
  bool have_messages() const { return read_ != nullptr; }
  /// Calls `take` with the graph's messages, in file order. Throws what reading the file throws.
  void read(std::size_t graph, const MessageTakers& take) const { read_(graph, take); }

 private:
  std::size_t count_ = 0;
  Visit visit_;
  Read read_;
};

/// What the graph says of communication: its metadata without the groups, its lanes, and of its
/// nodes those that communicate, without dependencies. About 150 bytes a node.
Graph communication_of(const Graph& graph);

}  // namespace nadi
