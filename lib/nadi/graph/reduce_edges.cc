#include "nadi/graph/reduce_edges.h"

#include <algorithm>
#include <unordered_map>

#include "nadi/base/sort_rows.h"
#include "nadi/base/table.h"

namespace nadi {
namespace {

bool may_be_left_out(Evidence evidence) {
  return evidence == Evidence::kEventWait || evidence == Evidence::kSynchronisation ||
         evidence == Evidence::kThreadHandOff || evidence == Evidence::kGroupOrder;
}

/// True for a row that does not follow all nodes before it on its lane.
bool is_misplaced(const GraphDraft& draft, NodeIndex node) {
  const Node& n = draft.nodes[node];
  return n.kind == NodeKind::kDeviceRow && draft.is_misplaced[n.device_row()];
}

/// True for two rows of one launch of a CUDA graph whose dependencies are recorded, if the later
/// row does not depend on the earlier one.
bool are_recorded_as_unordered(const GraphDraft& draft, NodeIndex earlier, NodeIndex later) {
  const Node &a = draft.nodes[earlier], &b = draft.nodes[later];
  if (a.kind != NodeKind::kDeviceRow || b.kind != NodeKind::kDeviceRow) return false;
  const DeviceRowIndex first = a.device_row(), second = b.device_row();
  const RecordedLaunches& recorded = draft.recorded_launches;
  const std::vector<GraphDependency>& known = draft.linked.graph_dependencies;
  return recorded.has_order(first) && recorded.has_order(second) &&
         draft.linked.device.rows.correlation[first] ==
             draft.linked.device.rows.correlation[second] &&
         !std::binary_search(known.begin(), known.end(), GraphDependency{second, first});
}

/// The position of a node on its lane, by start.
struct NodeOnLane;
using LanePosition = Index<NodeOnLane>;

/// Lanes whose nodes follow one another strictly, so that a place on the lane is a place in order.
ByRow<Lane, bool> strict_lanes(const GraphDraft& draft,
                               const ByRow<Lane, std::vector<NodeIndex>>& lanes) {
  ByRow<Lane, bool> is_strict(lanes.size(), true);
  for (const LaneIndex lane : rows_of(lanes))
    for (std::size_t i = 1; i < lanes[lane].size(); ++i)
      if (draft.end_ns(lanes[lane][i - 1]) > draft.start_ns(lanes[lane][i]) ||
          are_recorded_as_unordered(draft, lanes[lane][i - 1], lanes[lane][i]))
        is_strict[lane] = false;
  return is_strict;
}

}  // namespace

void reduce_edges(GraphDraft& draft) {
  ByRow<Lane, std::vector<NodeIndex>> lanes(draft.linked.lanes.size());
  for (const NodeIndex node : rows_of(draft.nodes))
    if (!is_misplaced(draft, node)) lanes[draft.nodes[node].lane].push_back(node);
  ByRow<Node, LanePosition> position(draft.nodes.size());
  for (auto& lane : lanes) {
    sort_rows(lane,
              [&](NodeIndex a, NodeIndex b) { return draft.start_ns(a) < draft.start_ns(b); });
    for (std::size_t i = 0; i < lane.size(); ++i) position[lane[i]] = LanePosition(i);
  }
  const ByRow<Lane, bool> is_strict = strict_lanes(draft, lanes);

  std::vector<DraftEdgeIndex> candidates;
  for (const DraftEdgeIndex i : rows_of(draft.edges)) {
    const DraftEdge& edge = draft.edges[i];
    if (!may_be_left_out(edge.evidence) || is_misplaced(draft, edge.source) ||
        is_misplaced(draft, edge.target))
      continue;
    if (is_strict[draft.nodes[edge.source].lane] && is_strict[draft.nodes[edge.target].lane])
      candidates.push_back(i);
  }
  // In target order, of one target the latest source first: whatever comes from an earlier place
  // than a lane has already waited for is implied.
  sort_rows(candidates, [&](DraftEdgeIndex a, DraftEdgeIndex b) {
    const DraftEdge &x = draft.edges[a], &y = draft.edges[b];
    if (position[x.target] != position[y.target]) return position[x.target] < position[y.target];
    if (position[x.source] != position[y.source]) return position[x.source] > position[y.source];
    return a < b;
  });
  std::unordered_map<std::uint64_t, LanePosition> waited_for;  // by target lane and source lane
  ByRow<DraftEdge, bool> is_kept(draft.edges.size(), true);
  for (const DraftEdgeIndex i : candidates) {
    const DraftEdge& edge = draft.edges[i];
    const std::uint64_t lanes_of = (std::uint64_t{draft.nodes[edge.target].lane.value} << 32) |
                                   draft.nodes[edge.source].lane.value;
    const auto known = waited_for.find(lanes_of);
    if (known != waited_for.end() && position[edge.source] <= known->second)
      is_kept[i] = false;
    else if (!is_guess(edge.inferred))
      waited_for[lanes_of] = position[edge.source];  // a guess implies nothing
  }
  keep_marked(is_kept, draft.edges);
}

}  // namespace nadi
