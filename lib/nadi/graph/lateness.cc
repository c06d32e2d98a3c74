#include <algorithm>

#include "nadi/graph/postprocess.h"

namespace nadi {

std::vector<NodeIndex> dependency_order(const GraphDraft& draft) {
  const Adjacency edges = grouped_by_node(
      draft.nodes.size(), draft.edges.size(),
      [&](std::size_t i) {
        const DraftEdge& edge = draft.edges[i];
        return edge.evidence == Evidence::kNesting ? kNoIndex : edge.source.value;
      },
      [&](std::size_t i) { return draft.edges[i].target.value; });
  std::vector<NodeIndex> order;
  order.reserve(draft.nodes.size());
  ByRow<Node, bool> is_ordered(draft.nodes.size(), false);
  for (const std::uint32_t number : topological_order(edges)) {
    order.emplace_back(number);
    is_ordered[order.back()] = true;
  }
  for (const NodeIndex node : rows_of(draft.nodes))
    if (!is_ordered[node]) order.push_back(node);  // a cycle of nodes that start together
  return order;
}

namespace {

/// When an edge's source ends in the trace, idle time and latencies left out: what the replay holds
/// against the source's end.
Ns expected_end(const GraphDraft& draft, const DraftEdge& edge) {
  const Node& target = draft.nodes[edge.target];
  if (target.kind != NodeKind::kDeviceRow) return target.start_ns - draft.idle_before[edge.target];
  const Ns submitted = draft.submitted_ns(target.device_row());
  if (edge.evidence != Evidence::kLaunch || submitted == kNoTime) return draft.end_ns(edge.source);
  const CallIndex call = draft.linked.rows.launch[target.device_row()];
  const bool is_of_call_node = call && draft.call_node[call] && draft.launches_at_once(call);
  const Ns idle = is_of_call_node ? draft.idle_before[draft.call_node[call]] : 0;
  return submitted - idle;
}

}  // namespace

Ns replay_lateness(const GraphDraft& draft) {
  const auto in = in_edges(draft);
  ByRow<Node, Ns> late(draft.nodes.size(), 0);
  Ns most = 0;
  for (const NodeIndex node : dependency_order(draft)) {
    for (const DraftEdgeIndex i : in.of(node.value)) {
      const DraftEdge& edge = draft.edges[i];
      late[node] = std::max(
          late[node], late[edge.source] + draft.end_ns(edge.source) - expected_end(draft, edge));
    }
    most = std::max(most, late[node]);
  }
  return most;
}

}  // namespace nadi
