// Makes a small LinkedTrace and its BuiltGraph by hand, row by row, for the writers' tests.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "nadi/graph/built_graph.h"
#include "nadi/graph/graph_draft.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

/// Lanes: 0 = host thread 1, 1 = device 0 stream 7; more with add_*_lane. Times in ns.
class TraceBuilder {
 public:
  TraceBuilder();

  LaneIndex add_host_lane(std::int64_t tid);
  LaneIndex add_device_lane(std::int64_t device, std::int64_t stream);

  /// A node of the host trace that is no op of the graph: a root.
  void add_root(std::string_view name, std::uint64_t host_id, std::uint64_t parent,
                std::uint64_t tid);
  /// Op of the host trace; returns its row of LinkedOps. Its node is added by add_op_node.
  std::uint32_t add_op(std::string_view name, std::uint64_t host_id, std::uint64_t rf_id, Ns start,
                       Ns duration, std::uint32_t parent = kNoIndex, LaneIndex lane = LaneIndex{0});
  /// Op that only the profiler knows.
  std::uint32_t add_profiler_op(std::string_view name, std::uint64_t rf_id, Ns start, Ns duration,
                                std::string_view input_dims, std::string_view input_type);
  void set_inputs(std::uint32_t op, std::string_view values, std::string_view shapes,
                  std::string_view types);
  std::uint32_t add_call(std::string_view name, Ns start, Ns duration, std::int64_t correlation);
  std::uint32_t add_row(std::string_view name, Ns start, Ns duration, std::int64_t correlation,
                        std::uint32_t parent, Ns launch_ns, LaneIndex lane = LaneIndex{1});

  /// Vertices; call in id order. All return the vertex.
  std::uint32_t add_op_node(std::uint32_t op, Ns duration);
  std::uint32_t add_part(std::uint32_t op, Ns start, Ns duration);
  std::uint32_t add_call_node(std::uint32_t call);
  std::uint32_t add_row_node(std::uint32_t row);
  std::uint32_t add_delay(LaneIndex lane, Ns start, Ns duration, std::uint32_t before);
  void add_edge(std::uint32_t from, std::uint32_t to, Evidence evidence,
                Inference inferred = Inference::kNone);
  void set_communication(std::uint32_t vertex, CommKind kind,
                         const GraphCommunication& communication);
  StringId text(std::string_view s) { return trace.strings.intern(s); }

  /// The graph of what was added so far.
  BuiltGraph graph() const;

  LinkedTrace trace;
  ByRow<Node> nodes;
  Ns origin_ns = 0;

 private:
  std::uint32_t add_node(Node node);
  std::uint32_t add_host_row(std::string_view name, std::uint64_t id, std::uint64_t parent,
                             std::uint64_t rf_id, std::uint64_t tid);
  std::uint32_t add_linked_op(std::string_view name, HostOpIndex host, ProfilerOpIndex profiler,
                              Ns start, Ns duration, std::uint32_t parent, LaneIndex lane);

  std::vector<std::pair<std::uint32_t, std::uint32_t>> ends_;
  std::vector<Edge> edges_;
  ByRow<Communication> communications_;
  std::vector<std::uint32_t> op_node_;
};

}  // namespace nadi
