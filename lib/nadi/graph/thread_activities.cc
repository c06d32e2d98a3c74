#include "nadi/graph/thread_activities.h"

#include <algorithm>
#include <utility>

#include "nadi/base/mix.h"
#include "nadi/base/sort_rows.h"
#include "nadi/model/call_names.h"
#include "nadi/model/op_relations.h"

namespace nadi {
namespace {

/// When the thread came to the node: a call that blocks begins long before its node.
Ns reached_ns(const GraphDraft& draft, NodeIndex node) {
  const Ns start = draft.start_ns(node);
  if (draft.nodes[node].kind != NodeKind::kCall) return start;
  return std::min(start, draft.linked.device.calls.start_ns[draft.nodes[node].call()]);
}

/// The bits that Activity::path keeps of a hash.
constexpr std::uint64_t kPathBits = (std::uint64_t{1} << 62) - 1;

class ActivityList {
 public:
  ActivityList(const GraphDraft& draft, const EdgeList& found)
      : draft_(draft),
        paths_(paths_of_ops(draft.linked)),
        effects_(call_effects(draft.linked.device.calls, draft.linked.strings)),
        is_explained_(draft.nodes.size(), false),
        calls_(draft.lane_nodes.size()) {
    for (const DraftEdge& edge : found.edges())
      if (edge.evidence == Evidence::kThreadHandOff) is_explained_[edge.target] = true;
    for (const CallIndex call : rows_of(draft.linked.calls))
      if (!draft.call_node[call]) calls_[draft.linked.calls.lane[call]].push_back(call);
    activities_.resize(draft.lane_nodes.size());
    for (const LaneIndex lane : rows_of(calls_)) list(lane);
  }

  Activities take() { return std::move(activities_); }

 private:
  void list(LaneIndex lane) {
    const RuntimeCalls& all = draft_.linked.device.calls;
    auto& calls = calls_[lane];
    sort_rows(calls, [&](CallIndex a, CallIndex b) {
      return std::pair(all.start_ns[a], a) < std::pair(all.start_ns[b], b);
    });
    auto& list = activities_[lane];
    list.reserve(draft_.lane_nodes[lane].size() + calls.size());
    auto call = calls.begin();
    Ns busy_until = kNoTime;
    NodeIndex last;
    const auto add_calls = [&](Ns until, NodeIndex next) {
      for (; call != calls.end() && all.start_ns[*call] < until; ++call) {
        if (all.start_ns[*call] < busy_until) continue;
        busy_until = std::min(until, call_end_ns(all, *call));
        list.push_back({all.start_ns[*call], busy_until, last, next, path_of(*call) & kPathBits,
                        is_query(effects_[*call]), is_explained_[next]});
      }
    };
    for (const NodeIndex node : draft_.lane_nodes[lane]) {
      const Ns begin = std::max(busy_until, reached_ns(draft_, node));
      add_calls(begin, node);
      const bool asks = draft_.nodes[node].kind == NodeKind::kCall &&
                        is_query(effects_[draft_.nodes[node].call()]);
      // What is handed over is given somewhere between calls of this kind, so not behind them.
      if (!is_other_call(node)) last = node;
      list.push_back({std::max(busy_until, begin), std::max(busy_until, draft_.end_ns(node)), last,
                      node, path_of(node) & kPathBits, asks, is_explained_[node]});
      busy_until = list.back().end;
    }
  }

  /// It neither launches nor blocks.
  bool is_other_call(NodeIndex node) const {
    return draft_.nodes[node].kind == NodeKind::kCall &&
           draft_.linked.calls.role[draft_.nodes[node].call()] == CallRole::kNone;
  }

  std::uint64_t path_of(NodeIndex index) const {
    const Node& node = draft_.nodes[index];
    if (node.kind == NodeKind::kCall) return path_of(node.call());
    return mixed(static_cast<std::uint64_t>(node.kind), paths_[node.op()]);
  }
  std::uint64_t path_of(CallIndex call) const {
    const LinkedOpIndex op = draft_.linked.calls.parent[call];
    const auto name = static_cast<std::uint64_t>(draft_.linked.device.calls.name[call]);
    return mixed(mixed(static_cast<std::uint64_t>(NodeKind::kCall), name), op ? paths_[op] : 0);
  }

  const GraphDraft& draft_;
  const ByRow<LinkedOps, std::uint64_t> paths_;
  const CallEffects effects_;
  ByRow<Node, bool> is_explained_;
  ByRow<Lane, std::vector<CallIndex>> calls_;  // that are no nodes
  Activities activities_;
};

}  // namespace

Activities thread_activities(const GraphDraft& draft, const EdgeList& found) {
  return ActivityList(draft, found).take();
}

}  // namespace nadi
