#include <algorithm>
#include <unordered_map>

#include "nadi/graph/postprocess.h"

namespace nadi {

Adjacency in_edges(const GraphDraft& draft) {
  return grouped_by_node(
      draft.nodes.size(), draft.edges.size(),
      [&](std::size_t row) {
        const DraftEdge& edge = draft.edges[row];
        return edge.evidence == Evidence::kNesting ? kNoIndex : edge.target.value;
      },
      [](std::size_t row) { return static_cast<std::uint32_t>(row); });
}

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

/// Rows of one launch of a CUDA graph of which it is recorded that neither waits for the other.
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

/// Lanes whose nodes follow one another strictly, so that a place on the lane is a place in order.
std::vector<bool> strict_lanes(const GraphDraft& draft,
                               const std::vector<std::vector<NodeIndex>>& lanes) {
  std::vector<bool> is_strict(lanes.size(), true);
  for (std::size_t lane = 0; lane < lanes.size(); ++lane)
    for (std::size_t i = 1; i < lanes[lane].size(); ++i)
      if (draft.end_ns(lanes[lane][i - 1]) > draft.start_ns(lanes[lane][i]) ||
          are_recorded_as_unordered(draft, lanes[lane][i - 1], lanes[lane][i]))
        is_strict[lane] = false;
  return is_strict;
}

}  // namespace

void reduce_edges(GraphDraft& draft) {
  // Places of nodes on their lanes, by start.
  std::vector<std::vector<NodeIndex>> lanes(draft.linked.lanes.size());
  for (std::uint32_t node = 0; node < draft.nodes.size(); ++node)
    if (!is_misplaced(draft, NodeIndex(node)))
      lanes[draft.nodes[node].lane.value].emplace_back(node);
  ByRow<Node, std::uint32_t> place(draft.nodes.size());
  for (auto& lane : lanes) {
    std::stable_sort(lane.begin(), lane.end(), [&](NodeIndex a, NodeIndex b) {
      return draft.start_ns(a) < draft.start_ns(b);
    });
    for (std::uint32_t i = 0; i < lane.size(); ++i) place[lane[i]] = i;
  }
  const std::vector<bool> is_strict = strict_lanes(draft, lanes);

  std::vector<std::uint32_t> candidates;
  for (std::uint32_t row = 0; row < draft.edges.size(); ++row) {
    const DraftEdge& edge = draft.edges[row];
    if (!may_be_left_out(edge.evidence) || is_misplaced(draft, edge.source) ||
        is_misplaced(draft, edge.target))
      continue;
    if (is_strict[draft.nodes[edge.source].lane.value] &&
        is_strict[draft.nodes[edge.target].lane.value])
      candidates.push_back(row);
  }
  // In target order, of one target the latest source first: whatever comes from an earlier place
  // than a lane has already waited for is implied.
  std::sort(candidates.begin(), candidates.end(), [&](std::uint32_t a, std::uint32_t b) {
    const DraftEdge &x = draft.edges[a], &y = draft.edges[b];
    if (place[x.target] != place[y.target]) return place[x.target] < place[y.target];
    if (place[x.source] != place[y.source]) return place[x.source] > place[y.source];
    return a < b;
  });
  std::unordered_map<std::uint64_t, std::uint32_t>
      waited_for;  // (target lane, source lane) -> place
  std::vector<bool> is_implied(draft.edges.size(), false);
  for (std::uint32_t row : candidates) {
    const DraftEdge& edge = draft.edges[row];
    const std::uint64_t lanes_of = (std::uint64_t{draft.nodes[edge.target].lane.value} << 32) |
                                   draft.nodes[edge.source].lane.value;
    const auto known = waited_for.find(lanes_of);
    if (known != waited_for.end() && place[edge.source] <= known->second)
      is_implied[row] = true;
    else if (!is_guess(edge.inferred))
      waited_for[lanes_of] = place[edge.source];  // a guess implies nothing
  }
  std::size_t kept = 0;
  for (std::uint32_t row = 0; row < draft.edges.size(); ++row)
    if (!is_implied[row]) draft.edges[kept++] = draft.edges[row];
  draft.edges.resize(kept);
}

}  // namespace nadi
