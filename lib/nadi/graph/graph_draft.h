// The graph while it grows: nodes in the order they were made, edges as a list (edge_list.h).
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "nadi/base/adjacency.h"
#include "nadi/graph/built_graph.h"
#include "nadi/graph/recorded_launches.h"
#include "nadi/model/graph.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

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

/// Communication of one node; GraphDraft::communications. `type` is not set.
struct Communication : GraphCommunication {
  CommKind kind = CommKind::kNone;
};
using CommunicationIndex = Index<Communication>;

struct Node;
using NodeIndex = Index<Node>;
/// A node before it has its id.
struct Node {
  Ns start_ns = 0;  ///< in the device trace's clock, like all times of LinkedTrace
  Ns duration_ns = 0;
  StringId name{};
  NodeKind kind = NodeKind::kOp;
  /// A device row that communicates, but it is not recorded what and with whom: it has no
  /// communication.
  bool is_unrecorded_communication = false;
  LaneIndex lane;
  CommunicationIndex communication;
  std::int32_t step = -1;

  /// The row that the node stands for, by its kind.
  LinkedOpIndex op() const { return row_of<LinkedOpIndex>({NodeKind::kOp, NodeKind::kPart}); }
  CallIndex call() const { return row_of<CallIndex>({NodeKind::kCall}); }
  DeviceRowIndex device_row() const { return row_of<DeviceRowIndex>({NodeKind::kDeviceRow}); }
  NodeIndex delayed_node() const { return row_of<NodeIndex>({NodeKind::kDelay}); }

  /// True for nodes of one kind and row, as of the operations that a kernel carries.
  bool is_of_same_row(const Node& other) const { return kind == other.kind && row_ == other.row_; }

  RowOfKindIndex row() const { return row_; }  ///< whatever its kind

  void set_op(NodeKind op_or_part, LinkedOpIndex op) { set_row(op_or_part, op); }
  void set_call(CallIndex call) { set_row(NodeKind::kCall, call); }
  void set_device_row(DeviceRowIndex row) { set_row(NodeKind::kDeviceRow, row); }
  void set_delayed_node(NodeIndex node) { set_row(NodeKind::kDelay, node); }

 private:
  template <class Row>
  Row row_of([[maybe_unused]] std::initializer_list<NodeKind> kinds) const {
    assert(std::find(kinds.begin(), kinds.end(), kind) != kinds.end());
    return Row(row_.value);
  }
  template <class Row>
  void set_row(NodeKind new_kind, Row row) {
    kind = new_kind;
    row_ = RowOfKindIndex(row.value);
  }

  RowOfKindIndex row_;
};

struct DraftEdge {
  NodeIndex source, target;
  Evidence evidence;
  Inference inferred = Inference::kNone;
};
using DraftEdgeIndex = Index<DraftEdge>;

/// A node of a StreamUnit; GraphDraft::unit_nodes.
struct UnitNode;
using UnitNodeIndex = Index<UnitNode>;

/// Rows of one device lane that the host enqueued at once: one row, or all rows of a graph launch.
/// Its first nodes are held up by what the unit waits for, its last nodes are what later work of
/// the stream waits for.
struct StreamUnit {
  /// The first nodes are [first, last), the last [last, end).
  UnitNodeIndex first, last, end;
};
using StreamUnitIndex = Index<StreamUnit>;

struct GraphDraft {
  explicit GraphDraft(const LinkedTrace& trace) : linked(trace), recorded_launches(trace) {}

  const LinkedTrace& linked;
  const RecordedLaunches recorded_launches;
  ByRow<Node> nodes;
  ByRow<DraftEdge> edges;
  ByRow<Communication> communications;

  // Host lanes.
  ByRow<Lane, std::vector<NodeIndex>> lane_nodes;  ///< of host lanes, in start order
  ByRow<LinkedOps, NodeIndex> op_node;             ///< the op's kOp node
  ByRow<LinkedOps, NodeIndex> op_last;             ///< last node of the op's own time
  ByRow<LinkedOps, Ns> exclusive_ns;               ///< the op's own time
  ByRow<RuntimeCalls, NodeIndex> call_node;        ///< the call's kCall node; none = it has none
  ByRow<RuntimeCalls, Ns>
      call_submit_ns;  ///< when the call gave its rows to the device (launch_times.h)
  ByRow<RuntimeCalls, NodeIndex>
      call_predecessor;  ///< of a launching call: lane node that ends at that time

  /// Node -> idle time before it, ns; filled before parts are joined, since a joined node's end
  /// says no more when its lane went idle. Empty = no parts are joined.
  ByRow<Node, Ns> idle_before;

  // Device lanes.
  ByRow<DeviceRows, NodeIndex>
      row_predecessor;  ///< row launched without a call row (flow): as call_predecessor
  ByRow<DeviceRows, NodeIndex> row_node;  ///< its first node; one entry more than there are rows
  ByRow<StreamUnit> units;                ///< by lane, in start order within one
  ByRow<UnitNode, NodeIndex> unit_nodes;
  ByRow<DeviceRows, StreamUnitIndex> unit_of_row;
  ByRow<DeviceRows, bool> is_misplaced;  ///< stands on its lane where API order says it cannot

  Ns start_ns(NodeIndex node) const { return nodes[node].start_ns; }
  Ns end_ns(NodeIndex node) const { return nodes[node].start_ns + nodes[node].duration_ns; }

  RowRange<Node> nodes_of(DeviceRowIndex row) const { return {row_node[row], row_node[row + 1]}; }

  std::span<const NodeIndex> first_nodes(StreamUnitIndex unit) const {
    return nodes_between(units[unit].first, units[unit].last);
  }
  std::span<const NodeIndex> last_nodes(StreamUnitIndex unit) const {
    return nodes_between(units[unit].last, units[unit].end);
  }

  /// The lane on which the row of the node was queued.
  LaneIndex row_lane(NodeIndex node) const { return linked.rows.lane[nodes[node].device_row()]; }

  std::string_view name(NodeIndex node) const { return linked.strings[nodes[node].name]; }

  /// Returns when the row was given to the device, by its call or by a flow; kNoTime = unknown.
  Ns submitted_ns(DeviceRowIndex row) const;
  /// True if the call launches as it begins (launch_times.h).
  bool launches_at_once(CallIndex call) const;

 private:
  std::span<const NodeIndex> nodes_between(UnitNodeIndex first, UnitNodeIndex end) const {
    return RowSpan<UnitNode, NodeIndex>(unit_nodes).between(first, end);
  }
};

/// Makes the nodes of ops, calls and host lanes what these became; none = left out. Lanes keep an
/// entry for each.
void follow_nodes(const ByRow<Node, NodeIndex>& became, GraphDraft& draft);

/// The edges into each node, data edges only.
ValuesByNode<DraftEdgeIndex> in_edges(const GraphDraft& draft);
/// The nodes that data edges lead to from each node.
ValuesByNode<NodeIndex> data_targets(const GraphDraft& draft);

}  // namespace nadi
