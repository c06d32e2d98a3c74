#include "nadi/graph/filter_steps.h"

#include <fmt/format.h>

#include <set>

#include "nadi/base/error.h"

namespace nadi {
namespace {

std::string known_steps(const GraphDraft& draft) {
  std::set<std::int32_t> steps;
  for (const Node& node : draft.nodes)
    if (node.step >= 0) steps.insert(node.step);
  if (steps.empty()) return "The trace has no ProfilerStep#N annotations: call profiler.step()";
  return fmt::format("The trace has the steps {} to {}", *steps.begin(), *steps.rbegin());
}

}  // namespace

void filter_steps(GraphDraft& draft, StepRange steps, Diagnostics& diagnostics) {
  ByRow<Node, NodeIndex> kept_as(draft.nodes.size());
  ByRow<Node> kept;
  for (const NodeIndex node : rows_of(draft.nodes)) {
    const std::int32_t step = draft.nodes[node].step;
    if (step < steps.first || step > steps.last) continue;
    kept_as[node] = NodeIndex(kept.size());
    kept.push_back(draft.nodes[node]);
  }
  if (kept.empty())
    throw Error(ErrorCode::kUsage, "`steps`",
                fmt::format("no work in the steps {} to {}", steps.first, steps.last),
                known_steps(draft));
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
  draft.nodes = std::move(kept);
  const auto follow = [&](std::vector<NodeIndex>& column) {
    for (NodeIndex& node : column)
      if (node) node = kept_as[node];
  };
  follow(draft.op_node);
  follow(draft.op_last);
  follow(draft.call_node);
  for (auto& lane : draft.lane_nodes) {
    follow(lane);
    std::erase(lane, NodeIndex());
  }
  // Device lanes are done with: what is left of them stands in the edges.
  draft.row_node.clear();
  draft.units.clear();
  draft.unit_nodes.clear();
}

}  // namespace nadi
