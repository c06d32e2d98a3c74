#include "nadi/graph/graph_draft.h"

namespace nadi {

std::string_view to_string(CommKind kind) {
  switch (kind) {
    case CommKind::kAllReduce:
      return "ALL_REDUCE";
    case CommKind::kReduce:
      return "REDUCE";
    case CommKind::kAllGather:
      return "ALL_GATHER";
    case CommKind::kGather:
      return "GATHER";
    case CommKind::kScatter:
      return "SCATTER";
    case CommKind::kBroadcast:
      return "BROADCAST";
    case CommKind::kAllToAll:
      return "ALL_TO_ALL";
    case CommKind::kReduceScatter:
      return "REDUCE_SCATTER";
    case CommKind::kReduceScatterBlock:
      return "REDUCE_SCATTER_BLOCK";
    case CommKind::kBarrier:
      return "BARRIER";
    case CommKind::kSend:
      return "SEND";
    case CommKind::kRecv:
      return "RECV";
    case CommKind::kNone:
      return "NONE";
  }
  return "unknown";
}

Ns GraphDraft::submitted_ns(DeviceRowIndex row) const {
  const CallIndex call = linked.rows.launch[row];
  return call ? call_submit_ns[call] : linked.rows.launch_ns[row];
}

bool GraphDraft::launches_at_once(CallIndex call) const {
  return call_submit_ns[call] == linked.device.calls.start_ns[call];
}

ValuesByNode<DraftEdgeIndex> in_edges(const GraphDraft& draft) {
  return grouped_by_node(
      draft.nodes.size(), draft.edges.size(),
      [&](std::size_t i) {
        const DraftEdge& edge = draft.edges[i];
        return edge.evidence == Evidence::kNesting ? kNoIndex : edge.target.value;
      },
      [](std::size_t i) { return DraftEdgeIndex(i); });
}

ValuesByNode<NodeIndex> data_targets(const GraphDraft& draft) {
  return grouped_by_node(
      draft.nodes.size(), draft.edges.size(),
      [&](std::size_t i) {
        const DraftEdge& edge = draft.edges[i];
        return edge.evidence == Evidence::kNesting ? kNoIndex : edge.source.value;
      },
      [&](std::size_t i) { return draft.edges[i].target; });
}

}  // namespace nadi
