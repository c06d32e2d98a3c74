#include <algorithm>

#include "nadi/graph/postprocess.h"

namespace nadi {

std::vector<std::uint32_t> dependency_order(const GraphDraft& draft) {
  const std::size_t count = draft.nodes.size();
  std::vector<std::uint32_t> waiting_for(count, 0), first(count + 1, 0);
  for (const DraftEdge& edge : draft.edges) {
    if (edge.evidence == Evidence::kNesting) continue;
    ++waiting_for[edge.target];
    ++first[edge.source + 1];
  }
  for (std::size_t node = 0; node < count; ++node) first[node + 1] += first[node];
  std::vector<std::uint32_t> targets(first.back()), next(first.begin(), first.end() - 1);
  for (const DraftEdge& edge : draft.edges)
    if (edge.evidence != Evidence::kNesting) targets[next[edge.source]++] = edge.target;

  std::vector<std::uint32_t> order;
  order.reserve(count);
  for (std::uint32_t node = 0; node < count; ++node)
    if (waiting_for[node] == 0) order.push_back(node);
  for (std::size_t taken = 0; taken < order.size(); ++taken)
    for (std::uint32_t i = first[order[taken]]; i < first[order[taken] + 1]; ++i)
      if (--waiting_for[targets[i]] == 0) order.push_back(targets[i]);
  for (std::uint32_t node = 0; node < count; ++node)
    if (waiting_for[node] != 0) order.push_back(node);  // a cycle of nodes that start together
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
  const bool is_of_call_node =
      call && draft.call_node[call] != kNoIndex && draft.launches_at_once(call);
  const Ns idle = is_of_call_node ? draft.idle_before[draft.call_node[call]] : 0;
  return submitted - idle;
}

}  // namespace

Ns replay_lateness(const GraphDraft& draft) {
  const InEdges in(draft);
  std::vector<Ns> late(draft.nodes.size(), 0);
  Ns most = 0;
  for (std::uint32_t node : dependency_order(draft)) {
    for (std::uint32_t row : in.of(node)) {
      const DraftEdge& edge = draft.edges[row];
      late[node] = std::max(
          late[node], late[edge.source] + draft.end_ns(edge.source) - expected_end(draft, edge));
    }
    most = std::max(most, late[node]);
  }
  return most;
}

}  // namespace nadi
