#include "nadi/graph/join_parts.h"

#include <algorithm>
#include <utility>

#include "nadi/base/table.h"

namespace nadi {
namespace {

/// What the draft's edges say of a node that may be joined or be joined to.
struct CrossLaneEdges {
  bool waits_elsewhere = false;  ///< a data edge comes in from another lane
  bool feeds_elsewhere = false;  ///< a data edge goes out to another lane
};

ByRow<Node, CrossLaneEdges> cross_lane_edges(const GraphDraft& draft) {
  ByRow<Node, CrossLaneEdges> edges(draft.nodes.size());
  for (const DraftEdge& edge : draft.edges) {
    if (edge.evidence == Evidence::kNesting ||
        draft.nodes[edge.source].lane == draft.nodes[edge.target].lane)
      continue;
    edges[edge.target].waits_elsewhere = true;
    edges[edge.source].feeds_elsewhere = true;
  }
  return edges;
}

/// All nodes so that sources of data edges come before their targets.
std::vector<NodeIndex> dependency_order(const GraphDraft& draft) {
  std::vector<NodeIndex> order = topological_order(data_targets(draft));
  ByRow<Node, bool> is_ordered(draft.nodes.size(), false);
  for (const NodeIndex node : order) is_ordered[node] = true;
  for (const NodeIndex node : rows_of(draft.nodes))
    if (!is_ordered[node]) order.push_back(node);  // a cycle of nodes that start together
  return order;
}

/// Decides which node each part joins: into[node] = node itself, or the one it becomes part of.
class Joiner {
 public:
  explicit Joiner(GraphDraft& draft)
      : draft_(draft), edges_of_node_(cross_lane_edges(draft)), into_(draft.nodes.size()) {
    for (const NodeIndex node : rows_of(into_)) into_[node] = node;
  }

  /// Parts into the node before them on the lane, as long as no dependent becomes late by more than
  /// `limit` in all: a node that waits for a late one is late already.
  void join_short(Ns limit) {
    limit_of_part_ = limit;
    const auto in = in_edges(draft_);
    const ByRow<Node, NodeIndex> next = next_on_lane();
    ByRow<Node, Ns> late(into_.size(), 0);   // by node: how late its replay may start
    ByRow<Node, Ns> grown(into_.size(), 0);  // by node: how much later its end now is
    for (const NodeIndex node : dependency_order(draft_)) {
      if (into_[node] != node) continue;
      for (const DraftEdgeIndex edge : in.of(node.value)) {
        const NodeIndex source = draft_.edges[edge].source;
        late[node] = std::max(late[node], late[into_[source]] + grown[source]);
      }
      grow(node, limit - late[node], next, grown);
    }
  }

  /// All parts into their own op's node.
  void join_all() {
    for (const auto& lane : draft_.lane_nodes)
      for (const NodeIndex node : lane) {
        if (draft_.nodes[node].kind != NodeKind::kPart) continue;
        const NodeIndex op = draft_.op_node[draft_.nodes[node].op()];
        if (!op) continue;  // the op began outside the steps kept
        into_[node] = op;
        draft_.nodes[op].duration_ns += draft_.nodes[node].duration_ns;
      }
  }

  /// Redirects edges and removes the joined nodes.
  void finish() {
    ByRow<Node, bool> is_kept(draft_.nodes.size());
    for (const NodeIndex node : rows_of(into_)) is_kept[node] = into_[node] == node;
    auto kept_as = rows_after_keeping(is_kept);
    for (const NodeIndex node : rows_of(into_)) kept_as[node] = kept_as[into_[node]];
    keep_marked(is_kept, draft_.nodes);
    keep_marked(is_kept, draft_.idle_before);
    follow_nodes(kept_as, draft_);
    redirect_edges(kept_as);
  }

 private:
  ByRow<Node, NodeIndex> next_on_lane() const {
    ByRow<Node, NodeIndex> next(into_.size());
    for (const auto& lane : draft_.lane_nodes)
      for (std::size_t i = 1; i < lane.size(); ++i) next[lane[i - 1]] = lane[i];
    return next;
  }

  /// Takes in the parts that follow while those who depend on the node, or on a part it took in,
  /// become late by at most `limit`.
  void grow(NodeIndex node, Ns limit, const ByRow<Node, NodeIndex>& next, ByRow<Node, Ns>& grown) {
    Ns since_fed = 0;  // growth since somebody first depended on it
    bool feeds = edges_of_node_[node].feeds_elsewhere;
    std::vector<std::pair<NodeIndex, Ns>> pieces{{node, draft_.end_ns(node)}};
    for (NodeIndex part = next[node]; part; part = next[part]) {
      const Ns length = draft_.nodes[part].duration_ns;
      if (draft_.nodes[part].kind != NodeKind::kPart || length > limit_of_part_ ||
          edges_of_node_[part].waits_elsewhere || draft_.end_ns(node) != draft_.start_ns(part) ||
          (feeds && since_fed + length > limit))
        break;
      into_[part] = node;
      draft_.nodes[node].duration_ns += length;
      pieces.emplace_back(part, draft_.end_ns(part));
      if (feeds) since_fed += length;
      feeds |= edges_of_node_[part].feeds_elsewhere;
    }
    for (const auto& [piece, end] : pieces) grown[piece] = draft_.end_ns(node) - end;
  }

  void redirect_edges(const ByRow<Node, NodeIndex>& kept_as) {
    std::erase_if(draft_.edges, [&](DraftEdge& edge) {
      edge.source = kept_as[edge.source];
      edge.target = kept_as[edge.target];
      return edge.source == edge.target ||
             draft_.start_ns(edge.source) > draft_.start_ns(edge.target);
    });
  }

  GraphDraft& draft_;
  ByRow<Node, CrossLaneEdges> edges_of_node_;
  ByRow<Node, NodeIndex> into_;
  Ns limit_of_part_ = 0;
};

/// Time before each host node that nothing it waits for explains; 0 where it waits for nothing.
ByRow<Node, Ns> idle_before(const GraphDraft& draft) {
  ByRow<Node, Ns> latest(draft.nodes.size(), kNoTime);
  for (const DraftEdge& edge : draft.edges)
    if (edge.evidence != Evidence::kNesting)
      latest[edge.target] = std::max(latest[edge.target], draft.end_ns(edge.source));
  for (const NodeIndex node : rows_of(latest))
    latest[node] =
        latest[node] == kNoTime ? 0 : std::max<Ns>(draft.nodes[node].start_ns - latest[node], 0);
  return latest;
}

/// Thread order anew, along the lanes as they are now.
void renew_thread_order(GraphDraft& draft) {
  std::erase_if(draft.edges,
                [](const DraftEdge& e) { return e.evidence == Evidence::kThreadOrder; });
  ByRow<Node, bool> seen(draft.nodes.size(), false);  // an op stands once for each joined part
  for (auto& lane : draft.lane_nodes) {
    std::erase_if(lane, [&](NodeIndex node) {
      const bool again = seen[node];
      seen[node] = true;
      return again;
    });
    for (std::size_t i = 1; i < lane.size(); ++i)
      draft.edges.push_back({lane[i - 1], lane[i], Evidence::kThreadOrder});
  }
}

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

/// Returns by how many ns the node that is latest starts late when a draft whose parts are joined
/// is replayed with all its idle times and latencies. A launch that is late makes its row late, and
/// so all that waits for the row. Needs GraphDraft::idle_before.
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

}  // namespace

Ns join_parts(GraphDraft& draft, const GraphOptions& options) {
  if (!options.join_all_parts && options.min_part_ns <= 0) return 0;
  draft.idle_before = idle_before(draft);
  Joiner joiner(draft);
  if (options.join_all_parts)
    joiner.join_all();
  else
    joiner.join_short(options.min_part_ns);
  joiner.finish();
  renew_thread_order(draft);
  return replay_lateness(draft);
}

}  // namespace nadi
