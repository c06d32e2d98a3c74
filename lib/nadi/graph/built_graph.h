// The graph of a linked trace, with what it keeps of the trace: which row each node stands for.
#pragma once

#include <cassert>
#include <cstdint>
#include <vector>

#include "nadi/model/graph.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

/// A row of the table that the kind of a node names.
struct RowOfKind;
using RowOfKindIndex = Index<RowOfKind>;

using GraphLaneIndex = Index<GraphLane>;

/// As build_graph makes it. Unlike a graph that was read from a file, it has no entries in `id`
/// (vertex v has the id v + 1), `correlation` and `rf_id` (they are in the rows of the trace), and
/// may have several edges between two nodes, those that are recorded first. emit/take_graph.h makes
/// it like one that was read. Every edge goes from a smaller to a larger vertex. start_ns counts
/// from origin_ns.
struct BuiltGraph : Graph {
  std::vector<RowOfKindIndex> row;         ///< by node; a delay's is a vertex
  ByRow<Lane, GraphLaneIndex> lane_of;     ///< into `lanes`; none = no node is on it
  ByRow<GraphLane, LaneIndex> trace_lane;  ///< the first of equal ones
  ByRow<LinkedOps, Vertex> op_node;        ///< the op's kOp vertex; kNoIndex = left out (--steps)
  ByRow<LinkedOps, Ns> exclusive_ns;       ///< own time of the op, all its parts
  Ns origin_ns = 0;                        ///< the trace's first event, in the clock of LinkedTrace
  Ns last_end_ns = 0;                      ///< latest end of a node that is no delay, as start_ns
  Ns lateness_ns = 0;                      ///< most that joined parts make a dependent late
  /// Idle time that no dependency explains, summed over all lanes (lane_sweep.h). Time for which
  /// device_reasons.h finds a cause is left out; with Delays::kNone no cause is looked for, so none
  /// is.
  Ns unexplained_ns = 0;
  ByRow<Lane, Ns> lane_unexplained_ns;  ///< the same by lane of the trace
  /// How often and for how long streams were busy with work of which there is no row; that time is
  /// not in unexplained_ns.
  std::uint64_t unrecorded_works = 0;
  Ns unrecorded_work_ns = 0;

  /// The row that a node stands for, by its kind: an op's or a part's, …
  LinkedOpIndex op(Vertex node) const {
    assert(kind[node] == NodeKind::kOp || kind[node] == NodeKind::kPart);
    return LinkedOpIndex(row[node].value);
  }
  CallIndex call(Vertex node) const { return row_of<CallIndex>(node, NodeKind::kCall); }
  DeviceRowIndex device_row(Vertex node) const {
    return row_of<DeviceRowIndex>(node, NodeKind::kDeviceRow);
  }
  /// The vertex that a delay stands before.
  Vertex delayed_node(Vertex node) const {
    assert(kind[node] == NodeKind::kDelay);
    return row[node].value;
  }
  /// When a node starts in the clock of LinkedTrace.
  Ns trace_ns(Vertex node) const { return start_ns[node] + origin_ns; }

 private:
  template <class Row>
  Row row_of(Vertex node, [[maybe_unused]] NodeKind of) const {
    assert(kind[node] == of);
    return Row(row[node].value);
  }
};

/// Chakra node id of a vertex.
inline std::uint64_t node_id(std::size_t vertex) { return vertex + 1; }

}  // namespace nadi
