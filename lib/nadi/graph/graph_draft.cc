#include "nadi/graph/graph_draft.h"

#include <iterator>

namespace nadi {

std::string_view to_string(CommKind kind) {
  constexpr std::string_view kNames[] = {
      "ALL_REDUCE", "REDUCE",         "ALL_GATHER",           "GATHER",  "SCATTER", "BROADCAST",
      "ALL_TO_ALL", "REDUCE_SCATTER", "REDUCE_SCATTER_BLOCK", "BARRIER", "SEND",    "RECV",
      "NONE"};
  static_assert(std::size(kNames) == static_cast<std::size_t>(CommKind::kNone) + 1);
  return kNames[static_cast<std::size_t>(kind)];
}

Ns GraphDraft::submitted_ns(DeviceRowIndex row) const {
  const CallIndex call = linked.rows.launch[row];
  return call ? call_submit_ns[call] : linked.rows.launch_ns[row];
}

bool GraphDraft::launches_at_once(CallIndex call) const {
  return call_submit_ns[call] == linked.device.calls.start_ns[call];
}

void follow_nodes(const ByRow<Node, NodeIndex>& became, GraphDraft& draft) {
  const auto follow = [&](std::vector<NodeIndex>& column) {
    for (NodeIndex& node : column)
      if (node) node = became[node];
  };
  follow(draft.op_node);
  follow(draft.op_last);
  follow(draft.call_node);
  for (std::vector<NodeIndex>& lane : draft.lane_nodes) follow(lane);
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
