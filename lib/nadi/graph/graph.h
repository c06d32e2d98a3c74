// The dependency graph of one rank: nodes with times, edges with evidence, as a Boost.Graph.
#pragma once

#include <algorithm>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <cassert>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "nadi/base/evidence.h"
#include "nadi/base/time.h"
#include "nadi/graph/memory_copies.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

enum class NodeKind : std::uint8_t { kOp, kPart, kCall, kDeviceRow, kDelay };

std::string_view to_string(NodeKind kind);

/// The kind of communication of a node, as Chakra names it (`CollectiveCommType` and send/recv).
enum class CommKind : std::uint8_t {
  kAllReduce = 0,
  kReduce,
  kAllGather,
  kGather,
  kScatter,
  kBroadcast,
  kAllToAll,
  kReduceScatter,
  kReduceScatterBlock,
  kBarrier,
  kSend,
  kRecv,
  kNone
};
std::string_view to_string(CommKind kind);  ///< "ALL_REDUCE", …

/// Communication of one node; Graph::communications.
struct Communication {
  CommKind kind = CommKind::kNone;
  std::int64_t bytes = 0;  ///< `comm_size`
  StringId group{};        ///< `pg_name`
  StringId dtype{};
  std::int64_t src = -1, dst = -1, tag = -1;  ///< send/recv: global ranks; -1 = not known
  std::int64_t seq = -1;                      ///< `comm_seq`; -1 = not known
};
using CommunicationIndex = Index<Communication>;

struct Node;
using NodeIndex = Index<Node>;
struct Node {
  Ns start_ns = 0;  ///< in the device trace's clock, like all times of LinkedTrace
  Ns duration_ns = 0;
  StringId name{};
  NodeKind kind = NodeKind::kOp;
  bool is_untimed = false;  ///< op only the host trace knows
  /// A device row that communicates, but nothing tells what and with whom: it has no communication.
  bool is_unrecorded_communication = false;
  LaneIndex lane;
  CommunicationIndex communication;
  std::int32_t step = -1;

  /// The row that the node stands for, by its kind.
  LinkedOpIndex op() const { return LinkedOpIndex(source({NodeKind::kOp, NodeKind::kPart})); }
  CallIndex call() const { return CallIndex(source({NodeKind::kCall})); }
  DeviceRowIndex device_row() const { return DeviceRowIndex(source({NodeKind::kDeviceRow})); }
  NodeIndex delayed_node() const { return NodeIndex(source({NodeKind::kDelay})); }

  /// True for nodes of one kind and row, as of the operations that a kernel carries.
  bool is_of_same_row(const Node& other) const {
    return kind == other.kind && source_ == other.source_;
  }

  void set_op(NodeKind op_or_part, LinkedOpIndex op) { set_source(op_or_part, op.value); }
  void set_call(CallIndex call) { set_source(NodeKind::kCall, call.value); }
  void set_device_row(DeviceRowIndex row) { set_source(NodeKind::kDeviceRow, row.value); }
  void set_delayed_node(NodeIndex node) { set_source(NodeKind::kDelay, node.value); }

 private:
  std::uint32_t source([[maybe_unused]] std::initializer_list<NodeKind> kinds) const {
    assert(std::find(kinds.begin(), kinds.end(), kind) != kinds.end());
    return source_;
  }
  void set_source(NodeKind new_kind, std::uint32_t new_source) {
    kind = new_kind;
    source_ = new_source;
  }

  std::uint32_t source_ = kNoIndex;
};

/// Vertex v is the node with Chakra id v + 1; every edge goes from a smaller to a larger vertex:
/// source must finish before target starts (kNesting: caller before callee).
using GraphStructure =
    boost::compressed_sparse_row_graph<boost::bidirectionalS, Node, Edge, boost::no_property,
                                       std::uint32_t, std::uint32_t>;

struct Graph {
  GraphStructure structure;
  ByRow<Communication> communications;
  ByRow<LinkedOps, std::uint32_t> op_node;  ///< the op's kOp vertex; kNoIndex = left out (--steps)
  ByRow<LinkedOps, Ns> exclusive_ns;        ///< own time of the op, all its parts
  ByRow<DeviceRows, MemoryAccess> memory_access;  ///< empty where no row is a memory node
  Ns origin_ns = 0;       ///< the trace's first event: start_ns attributes count from it
  Ns end_ns = 0;          ///< latest end of a node that is no delay
  Ns lateness_ns = 0;     ///< most that joined parts make a dependent late
  Ns unexplained_ns = 0;  ///< sum over nodes of start - latest end among predecessors
  std::vector<Ns> lane_unexplained_ns;  ///< the same by lane
  std::vector<Ns> lane_busy_ns;         ///< sum of durations by lane
};

/// Chakra node id of a vertex.
inline std::uint64_t node_id(std::size_t vertex) { return vertex + 1; }

}  // namespace nadi
