#include "nadi/graph/filter_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "nadi/base/adjacency.h"
#include "nadi/base/error.h"
#include "nadi/base/table.h"

namespace nadi {
namespace {

std::string known_steps(const GraphDraft& draft) {
  std::set<std::int32_t> steps;
  for (const Node& node : draft.nodes)
    if (node.step >= 0) steps.insert(node.step);
  if (steps.empty()) return "The trace has no ProfilerStep#N annotations: call profiler.step()";
  return fmt::format("The trace has the steps {} to {}", *steps.begin(), *steps.rbegin());
}

/// Of nodes that are left out, and of edges into nodes that are kept: what is waited for through
/// nodes that are left out. Each is the edge that leads away from a node that is kept; of those of
/// one lane it is the one whose node starts last.
class ThroughOthers {
 public:
  explicit ThroughOthers(const GraphDraft& draft) : draft_(draft), edges_(draft.nodes.size()) {}

  void add(const DraftEdge& edge, NodeIndex target) {
    std::vector<DraftEdge>& edges = edges_[target];
    const auto same_lane = std::find_if(edges.begin(), edges.end(), [&](const DraftEdge& other) {
      return draft_.nodes[other.source].lane == draft_.nodes[edge.source].lane;
    });
    if (same_lane == edges.end())
      edges.push_back(edge);
    else if (draft_.start_ns(same_lane->source) < draft_.start_ns(edge.source))
      *same_lane = edge;
  }
  /// Adds to the edge's target what is waited for through its source.
  void add_all(const DraftEdge& edge) {
    for (DraftEdge before : edges_[edge.source]) {
      before.inferred = std::max(before.inferred, edge.inferred);
      add(before, edge.target);
    }
  }
  const std::vector<DraftEdge>& of(NodeIndex node) const { return edges_[node]; }

 private:
  const GraphDraft& draft_;
  ByRow<Node, std::vector<DraftEdge>> edges_;
};

/// Between steps that are kept may be nodes of no step: what waited for one of these waits for what
/// that waited for.
void bridge_left_out(const ByRow<Node, bool>& is_kept, GraphDraft& draft) {
  const ValuesByNode<NodeIndex> targets = data_targets(draft);
  const std::vector<NodeIndex> order = topological_order(targets);
  ByRow<Node, bool> leads_to_kept(draft.nodes.size());
  for (auto at = order.rbegin(); at != order.rend(); ++at)
    for (const NodeIndex next : targets.of(at->value))
      if (is_kept[next] || leads_to_kept[next]) leads_to_kept[*at] = true;
  const ValuesByNode<DraftEdgeIndex> edges_into = in_edges(draft);
  ThroughOthers through(draft);
  std::vector<DraftEdge> bridges;
  for (const NodeIndex node : order) {
    if (!is_kept[node] && !leads_to_kept[node]) continue;
    for (const DraftEdgeIndex into : edges_into.of(node.value)) {
      const DraftEdge& edge = draft.edges[into];
      if (!is_kept[edge.source])
        through.add_all(edge);
      else if (!is_kept[node])
        through.add(edge, node);
    }
    if (!is_kept[node]) continue;
    for (DraftEdge bridge : through.of(node)) {
      bridge.target = node;
      bridges.push_back(bridge);
    }
  }
  draft.edges.insert(draft.edges.end(), bridges.begin(), bridges.end());
}

}  // namespace

void filter_steps(GraphDraft& draft, StepRange steps, Diagnostics& diagnostics) {
  ByRow<Node, bool> is_kept(draft.nodes.size());
  for (const NodeIndex node : rows_of(draft.nodes))
    is_kept[node] = steps.holds(draft.nodes[node].step);
  if (std::find(is_kept.begin(), is_kept.end(), true) == is_kept.end())
    throw Error(ErrorCode::kUsage, "`steps`",
                fmt::format("no work in the steps {} to {}", steps.first, steps.last),
                known_steps(draft));
  bridge_left_out(is_kept, draft);
  const auto kept_as = rows_after_keeping(is_kept);
  std::uint64_t dropped = 0;
  std::erase_if(draft.edges, [&](DraftEdge& edge) {
    const NodeIndex source = kept_as[edge.source], target = kept_as[edge.target];
    const bool inside = source && target;
    dropped += target && !inside ? 1 : 0;
    edge.source = source;
    edge.target = target;
    return !inside;
  });
  diagnostics.report(Finding::kEdgesFromOtherSteps, {}, dropped);
  keep_marked(is_kept, draft.nodes);
  follow_nodes(kept_as, draft);
  for (auto& lane : draft.lane_nodes) std::erase(lane, NodeIndex());
  // Device lanes are done with: what is left of them stands in the edges.
  draft.row_node.clear();
  draft.units.clear();
  draft.unit_nodes.clear();
}

}  // namespace nadi
