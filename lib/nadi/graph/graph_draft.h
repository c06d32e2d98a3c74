// The graph while it grows: nodes in the order they were made, edges as a list (edge_list.h).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "nadi/graph/graph.h"
#include "nadi/graph/recorded_launches.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

struct DraftEdge {
  NodeIndex source, target;
  Evidence evidence;
  Inference inferred = Inference::kNone;
};

/// Rows of one device lane that the host enqueued at once: one row, or all rows of a graph launch.
/// Later work of the stream waits for `last`; what the unit waits for holds up `first`. Both are
/// ranges of GraphDraft::unit_nodes.
struct StreamUnit {
  std::uint32_t first_begin, first_end;
  std::uint32_t last_begin, last_end;
};

struct GraphDraft {
  explicit GraphDraft(const LinkedTrace& trace) : linked(trace), recorded_launches(trace) {}

  const LinkedTrace& linked;
  const RecordedLaunches recorded_launches;
  ByRow<Node> nodes;
  std::vector<DraftEdge> edges;
  ByRow<Communication> communications;

  // Host lanes.
  std::vector<std::vector<NodeIndex>> lane_nodes;  ///< by host lane, in start order
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
  std::vector<std::uint32_t> row_node;  ///< row -> its first node; one entry more than rows: a
                                        ///< row's nodes are [row_node[row], row_node[row + 1])
  std::vector<StreamUnit> units;        ///< by lane, in start order within one
  std::vector<NodeIndex> unit_nodes;
  ByRow<DeviceRows, std::uint32_t> unit_of_row;
  ByRow<DeviceRows, bool> is_misplaced;  ///< stands on its lane where API order says it cannot

  Ns start_ns(NodeIndex node) const { return nodes[node].start_ns; }
  Ns end_ns(NodeIndex node) const { return nodes[node].start_ns + nodes[node].duration_ns; }

  /// The lane on which the row of the node was queued.
  std::uint32_t row_lane(NodeIndex node) const {
    return linked.rows.lane[nodes[node].device_row()].value;
  }

  std::string_view name(NodeIndex node) const { return linked.strings[nodes[node].name]; }

  /// Returns when the row was given to the device, by its call or by a flow; kNoTime = unknown.
  Ns submitted_ns(DeviceRowIndex row) const;
  /// True if the call launches as it begins (launch_times.h).
  bool launches_at_once(CallIndex call) const;
};

}  // namespace nadi
