#include "nadi/graph/hand_off.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "nadi/base/sort_rows.h"
#include "nadi/model/op_relations.h"

namespace nadi {
namespace {

/// Consecutive nodes of a lane that belong to one outermost op (annotations aside) or call.
struct Block {
  NodeIndex first, last;
};

class HandOff {
 public:
  HandOff(const GraphDraft& draft, EdgeList& edges)
      : draft_(draft),
        linked_(draft.linked),
        edges_(edges),
        outermost_(outermost_cpu_ops(draft.linked.ops)),
        blocks_(draft.linked.lanes.size()) {
    for (const LaneIndex lane : rows_of(linked_.lanes)) {
      if (!linked_.lanes[lane].is_backward) continue;
      blocks_[lane] = blocks_of(lane);
      by_end_.insert(by_end_.end(), blocks_[lane].begin(), blocks_[lane].end());
    }
    sort_rows(by_end_, [&](const Block& a, const Block& b) {
      return std::pair(draft_.end_ns(a.last), a.last) < std::pair(draft_.end_ns(b.last), b.last);
    });
  }

  /// Runs of backward blocks during which the forward thread starts nothing.
  void add_runs(LaneIndex backward, LaneIndex forward, Inference inferred) {
    const auto& nodes = draft_.lane_nodes[forward];
    const std::vector<Block>& blocks = blocks_[backward];
    for (std::size_t i = 0; i < blocks.size();) {
      const Ns start = draft_.start_ns(blocks[i].first);
      const auto next = std::partition_point(nodes.begin(), nodes.end(), [&](NodeIndex node) {
        return draft_.start_ns(node) <= start;
      });
      const Ns next_start =
          next == nodes.end() ? std::numeric_limits<Ns>::max() : draft_.start_ns(*next);
      if (draft_.end_ns(blocks[i].last) > next_start) {  // both work at once: nobody waits
        ++i;
        continue;
      }
      std::size_t end = i + 1;
      while (end < blocks.size() && draft_.end_ns(blocks[end].last) <= next_start) ++end;
      if (next != nodes.begin() && draft_.end_ns(*std::prev(next)) <= start)
        edges_.add({*std::prev(next), blocks[i].first, Evidence::kThreadHandOff, inferred});
      if (next != nodes.end())
        edges_.add({blocks[end - 1].last, *next, Evidence::kThreadHandOff, inferred});
      Ns idle_since = next == nodes.begin() ? kNoTime : draft_.end_ns(*std::prev(next));
      for (std::size_t k = i; k < end; ++k) {
        add_from_other(blocks[k].first, idle_since);
        idle_since = draft_.end_ns(blocks[k].last);
      }
      i = end;
    }
  }

  /// A backward op cannot start before its forward op has ended.
  void add_pair(LinkedOpIndex forward_op, LinkedOpIndex backward_op) {
    if (linked_.ops.lane[forward_op] == linked_.ops.lane[backward_op]) return;
    edges_.add({draft_.op_last[forward_op], draft_.op_node[backward_op], Evidence::kThreadHandOff});
  }

 private:
  /// Autograd has a thread for each device, and they hand work on to each other. A thread that was
  /// idle while another one ran the whole of a block waited for the end of the last such block.
  void add_from_other(NodeIndex first, Ns idle_since) {
    if (!linked_.hypotheses.has(Hypothesis::kBackwardThreads)) return;
    const Ns start = draft_.start_ns(first);
    auto block = std::partition_point(by_end_.begin(), by_end_.end(), [&](const Block& other) {
      return draft_.end_ns(other.last) <= start;
    });
    while (block != by_end_.begin() && draft_.end_ns((--block)->last) > idle_since) {
      if (draft_.nodes[block->last].lane == draft_.nodes[first].lane ||
          draft_.start_ns(block->first) < idle_since)
        continue;
      edges_.add({block->last, first, Evidence::kThreadHandOff,
                  info(Hypothesis::kBackwardThreads).inferred});
      return;
    }
  }

  /// The op whose nodes are one block; none = the node is a block of its own.
  LinkedOpIndex op_of_block(NodeIndex node) const {
    const Node& n = draft_.nodes[node];
    const LinkedOpIndex op = n.kind == NodeKind::kCall ? linked_.calls.parent[n.call()] : n.op();
    if (!op || (linked_.ops.is_annotation[outermost_[op]] != 0 && n.kind == NodeKind::kCall))
      return {};
    return outermost_[op];
  }

  std::vector<Block> blocks_of(LaneIndex lane) const {
    std::vector<Block> blocks;
    LinkedOpIndex before;
    for (const NodeIndex node : draft_.lane_nodes[lane]) {
      const LinkedOpIndex op = op_of_block(node);
      if (!op || op != before) blocks.push_back({node, node});
      blocks.back().last = node;
      before = op;
    }
    return blocks;
  }

  const GraphDraft& draft_;
  const LinkedTrace& linked_;
  EdgeList& edges_;
  ByRow<LinkedOps, LinkedOpIndex> outermost_;
  ByRow<Lane, std::vector<Block>> blocks_;  // of backward lanes
  std::vector<Block> by_end_;               // of all of them
};

/// How often a backward lane (first) names a forward lane.
using Votes = std::map<std::pair<LaneIndex, LaneIndex>, std::uint64_t>;

Votes votes_by_pairs(const LinkedTrace& linked) {
  Votes votes;
  for (const ForwardBackwardPair& pair : linked.forward_backward) {
    const LaneIndex backward = linked.ops.lane[pair.backward],
                    forward = linked.ops.lane[pair.forward];
    if (backward != forward) ++votes[{backward, forward}];
  }
  return votes;
}

/// By logical thread id. Of lanes with one id, which only damaged traces have, the first is it.
Votes votes_by_thread(const LinkedTrace& linked) {
  std::map<std::pair<LaneIndex, std::int64_t>, std::uint64_t> named;  // by lane and thread id
  for (const LinkedOpIndex op : rows_of(linked.ops))
    if (const LaneIndex lane = linked.ops.lane[op]; linked.lanes[lane].is_backward)
      ++named[{lane, static_cast<std::int64_t>(forward_tid_of(linked, op))}];
  std::set<std::pair<std::int64_t, LaneIndex>> threads;  // thread id, lane
  for (const LaneIndex lane : rows_of(linked.lanes))
    if (!linked.lanes[lane].is_device) threads.emplace(linked.lanes[lane].tid, lane);
  Votes votes;
  for (const auto& [names, count] : named) {
    const auto [backward, tid] = names;
    auto thread = threads.lower_bound({tid, LaneIndex(0)});
    if (thread != threads.end() && *thread == std::pair(tid, backward)) ++thread;
    if (thread != threads.end() && thread->first == tid) votes[{backward, thread->second}] += count;
  }
  return votes;
}

/// By lane: the one it names most; none = it names none, or another one more than half as often, as
/// replicas in threads of their own are.
ByRow<Lane, LaneIndex> most_named(const Votes& votes, const LinkedTrace& linked) {
  const std::size_t lane_count = linked.lanes.size();
  ByRow<Lane, LaneIndex> most(lane_count);
  ByRow<Lane, std::uint64_t> count(lane_count, 0), next(lane_count, 0);
  for (const auto& [named, votes_of] : votes) {
    const auto [lane, forward] = named;
    next[lane] = std::max(next[lane], std::min(count[lane], votes_of));
    if (votes_of > count[lane]) most[lane] = forward;
    count[lane] = std::max(count[lane], votes_of);
  }
  for (const LaneIndex lane : rows_of(most))
    if (!linked.hypotheses.hold(Hypothesis::kCallerOfBackward, {count[lane], 0, next[lane]}))
      most[lane] = LaneIndex();
  return most;
}

/// By backward lane: the lane most of its ops come from, by pairs, else by logical thread id.
ByRow<Lane, LaneIndex> forward_lanes(const LinkedTrace& linked) {
  ByRow<Lane, LaneIndex> lanes = most_named(votes_by_pairs(linked), linked);
  if (!linked.has_host) return lanes;
  const auto by_thread = most_named(votes_by_thread(linked), linked);
  for (const LaneIndex lane : rows_of(lanes))
    if (!lanes[lane]) lanes[lane] = by_thread[lane];
  return lanes;
}

/// Where it is not known which thread ran forward: the thread without backward ops that starts
/// first.
LaneIndex earliest_lane(const GraphDraft& draft) {
  LaneIndex best;
  for (const LaneIndex lane : rows_of(draft.lane_nodes)) {
    if (draft.lane_nodes[lane].empty() || draft.linked.lanes[lane].is_backward) continue;
    if (!best || draft.start_ns(draft.lane_nodes[lane].front()) <
                     draft.start_ns(draft.lane_nodes[best].front()))
      best = lane;
  }
  return best;
}

}  // namespace

void add_thread_hand_off(const GraphDraft& draft, EdgeList& edges) {
  const LinkedTrace& linked = draft.linked;
  const ByRow<Lane, LaneIndex> forward = forward_lanes(linked);
  const LaneIndex earliest = earliest_lane(draft);
  HandOff hand_off(draft, edges);
  for (const LaneIndex lane : rows_of(linked.lanes)) {
    if (!linked.lanes[lane].is_backward) continue;
    const bool is_known = static_cast<bool>(forward[lane]);
    const LaneIndex partner = is_known ? forward[lane] : earliest;
    if (partner) hand_off.add_runs(lane, partner, is_known ? Inference::kNone : Inference::kTiming);
  }
  for (const ForwardBackwardPair& pair : linked.forward_backward)
    hand_off.add_pair(pair.forward, pair.backward);
}

}  // namespace nadi
