// Small graphs to replay, written down node by node.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "et_def.pb.h"
#include "nadi/chakra/edge_evidence.h"
#include "nadi/sim_bridge/replay/replay.h"

namespace nadi {

/// Nodes get the ids 1, 2, … in the order they are added; times in ns.
class GraphBuilder {
 public:
  explicit GraphBuilder(std::int64_t rank = 0) {
    graph_.name = "rank" + std::to_string(rank) + ".et";
    graph_.rank = rank;
    graph_.base_time_ns = 0;
    graph_.tells_starts = true;
  }

  std::uint32_t host(std::int64_t tid, Ns start, Ns duration,
                     std::initializer_list<std::uint32_t> after = {}, const char* name = "op") {
    return add(name, NodeKind::kOp, {false, tid}, start, duration, after);
  }
  std::uint32_t row(std::int64_t stream, Ns start, Ns duration,
                    std::initializer_list<std::uint32_t> after = {}, const char* name = "kernel",
                    std::int64_t correlation = -1) {
    const std::uint32_t node =
        add(name, NodeKind::kDeviceRow, {true, -1, 0, stream}, start, duration, after);
    graph_.correlation[node] = correlation;
    return node;
  }
  std::uint32_t delay(std::int64_t tid, Ns start, Ns duration,
                      std::initializer_list<std::uint32_t> after = {}) {
    return add("delay", NodeKind::kDelay, {false, tid}, start, duration, after);
  }
  std::uint32_t device_delay(std::int64_t stream, Ns start, Ns duration,
                             std::initializer_list<std::uint32_t> after) {
    return add("delay", NodeKind::kDelay, {true, -1, 0, stream}, start, duration, after);
  }
  std::uint32_t collective(const char* group, Ns start, Ns duration,
                           std::initializer_list<std::uint32_t> after = {},
                           std::int64_t type = ChakraProtoMsg::ALL_REDUCE,
                           std::int64_t stream = 20) {
    const std::uint32_t node = row(stream, start, duration, after, "nccl");
    return communicate(node, NodeType::kCollective, {.type = type}, group);
  }
  std::uint32_t message(bool sends, std::int64_t src, std::int64_t dst, Ns start, Ns duration,
                        std::initializer_list<std::uint32_t> after = {},
                        std::int64_t correlation = -1, const char* group = "0") {
    const std::uint32_t node = row(20, start, duration, after, "nccl", correlation);
    return communicate(node, sends ? NodeType::kSend : NodeType::kReceive,
                       {.src = src, .dst = dst, .tag = 0}, group);
  }
  GraphBuilder& without_base_time() {
    graph_.base_time_ns.reset();
    return *this;
  }
  GraphBuilder& without_starts() {
    graph_.tells_starts = false;
    return without_base_time();
  }
  GraphBuilder& with_base_time(Ns base) {
    graph_.base_time_ns = base;
    return *this;
  }

  GraphBuilder& with_world(std::int64_t size, const std::string& process_groups) {
    auto metadata = std::make_shared<ChakraProtoMsg::GlobalMetadata>();
    ChakraProtoMsg::AttributeProto* attribute = metadata->add_attr();
    attribute->set_name("world_size");
    attribute->set_int64_val(size);
    attribute = metadata->add_attr();
    attribute->set_name("process_groups");
    attribute->set_string_val(process_groups);
    graph_.metadata = std::move(metadata);
    return *this;
  }

  /// What the edge between two nodes tells, where its ends do not.
  GraphBuilder& tell(std::uint32_t source, std::uint32_t target, const Edge& edge) {
    told_.push_back({{source, target}, edge});
    return *this;
  }

  Graph take() {
    std::vector<GraphLane> sorted = graph_.lanes;
    std::sort(sorted.begin(), sorted.end());
    for (std::uint32_t& lane : graph_.lane)
      lane = static_cast<std::uint32_t>(
          std::find(sorted.begin(), sorted.end(), graph_.lanes[lane]) - sorted.begin());
    graph_.lanes = sorted;
    std::vector<Edge> edges;
    for (const auto& [source, target] : ends_) {
      edges.push_back({evidence_of_ends(graph_, source, target)});
      for (const auto& [ends, edge] : told_)
        if (ends == std::pair(source, target)) edges.back() = edge;
    }
    graph_.structure =
        GraphStructure(boost::edges_are_unsorted_multi_pass, ends_.begin(), ends_.end(),
                       edges.begin(), static_cast<std::uint32_t>(graph_.size()));
    return std::move(graph_);
  }

 private:
  std::uint32_t add(const char* name, NodeKind kind, GraphLane lane, Ns start, Ns duration,
                    std::initializer_list<std::uint32_t> after) {
    const auto node = static_cast<std::uint32_t>(graph_.size());
    graph_.id.push_back(node + 1);
    graph_.node_name.push_back(graph_.strings.intern(name));
    graph_.type.push_back(NodeType::kCompute);
    graph_.kind.push_back(kind);
    graph_.start_ns.push_back(start);
    graph_.duration_ns.push_back(duration);
    const auto known = std::find(graph_.lanes.begin(), graph_.lanes.end(), lane);
    graph_.lane.push_back(static_cast<std::uint32_t>(known - graph_.lanes.begin()));
    if (known == graph_.lanes.end()) graph_.lanes.push_back(lane);
    graph_.correlation.push_back(-1);
    graph_.rf_id.push_back(0);
    graph_.step.push_back(-1);
    graph_.communication.push_back(kNoIndex);
    for (const std::uint32_t source : after) ends_.emplace_back(source, node);
    return node;
  }

  std::uint32_t communicate(std::uint32_t node, NodeType type, GraphCommunication what,
                            const char* group) {
    what.group = graph_.strings.intern(group);
    graph_.type[node] = type;
    graph_.communication[node] = static_cast<std::uint32_t>(graph_.communications.size());
    graph_.communications.push_back(what);
    return node;
  }

  using Ends = std::pair<std::uint32_t, std::uint32_t>;

  Graph graph_;
  std::vector<Ends> ends_;
  std::vector<std::pair<Ends, Edge>> told_;
};

}  // namespace nadi
