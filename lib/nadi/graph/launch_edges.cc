#include "nadi/graph/launch_edges.h"

namespace nadi {
namespace {

/// Sources of the edges into call nodes that are no waits for the device: what must be over before
/// the call begins.
ByRow<RuntimeCalls, std::vector<NodeIndex>> sources_of_calls(const GraphDraft& draft,
                                                             const EdgeList& found) {
  ByRow<RuntimeCalls, std::vector<NodeIndex>> sources(draft.call_node.size());
  for (const DraftEdge& edge : found.edges()) {
    const Node& node = draft.nodes[edge.target];
    const bool is_host_edge =
        edge.evidence == Evidence::kThreadOrder || edge.evidence == Evidence::kThreadHandOff;
    if (node.kind == NodeKind::kCall && is_host_edge && draft.call_node[node.call()] == edge.target)
      sources[node.call()].push_back(edge.source);
  }
  return sources;
}

/// By node: true where a unit begins with it.
ByRow<Node, bool> first_nodes_of_units(const GraphDraft& draft) {
  ByRow<Node, bool> is_first(draft.nodes.size(), false);
  for (const StreamUnitIndex unit : rows_of(draft.units))
    for (const NodeIndex node : draft.first_nodes(unit)) is_first[node] = true;
  return is_first;
}

/// By node: true where it waits for another of its launch, as was recorded.
ByRow<Node, bool> targets_of_recorded(const GraphDraft& draft, const EdgeList& found) {
  ByRow<Node, bool> is_target(draft.nodes.size(), false);
  for (const DraftEdge& edge : found.edges())
    if (edge.evidence == Evidence::kGraphDependency) is_target[edge.target] = true;
  return is_target;
}

}  // namespace

void add_launch_edges(const GraphDraft& draft, EdgeList& edges) {
  const LinkedTrace& linked = draft.linked;
  const auto of_calls = sources_of_calls(draft, edges);
  const ByRow<Node, bool> is_first = first_nodes_of_units(draft);
  const ByRow<Node, bool> follows_recorded = targets_of_recorded(draft, edges);
  for (const DeviceRowIndex row : rows_of(linked.rows)) {
    // Of a recorded launch all roots follow it, and rows whose dependencies time contradicts.
    const bool is_recorded = draft.recorded_launches.has_source(row);
    const auto add = [&](NodeIndex source) {
      for (const NodeIndex node : draft.nodes_of(row))
        if (is_recorded ? !follows_recorded[node] : is_first[node])
          edges.add_certain({source, node, Evidence::kLaunch});
    };
    if (const CallIndex call = linked.rows.launch[row]; !call) {
      if (draft.row_predecessor[row]) add(draft.row_predecessor[row]);
    } else if (draft.call_node[call] && draft.launches_at_once(call)) {
      for (const NodeIndex source : of_calls[call]) add(source);
    } else if (draft.call_predecessor[call]) {
      add(draft.call_predecessor[call]);
    }
  }
}

}  // namespace nadi
