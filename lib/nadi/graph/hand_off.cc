#include <algorithm>
#include <limits>
#include <map>

#include "nadi/graph/stages.h"
#include "nadi/model/op_relations.h"

namespace nadi {
namespace {

/// Consecutive nodes of a lane that belong to one outermost op (annotations aside) or call.
struct Block {
  std::uint32_t first, last;
};

class HandOff {
 public:
  HandOff(Draft& draft, Diagnostics& diagnostics)
      : draft_(draft),
        linked_(draft.linked),
        diagnostics_(diagnostics),
        outermost_(outermost_ops(draft.linked.ops)) {}

  /// Runs of backward blocks during which the forward thread starts nothing.
  void add_runs(std::uint32_t backward, std::uint32_t forward, Inference inferred) {
    const auto& nodes = draft_.lane_nodes[forward];
    const std::vector<Block> blocks = blocks_of(backward);
    for (std::size_t i = 0; i < blocks.size();) {
      const Ns start = draft_.start_ns(blocks[i].first);
      const auto next = std::partition_point(nodes.begin(), nodes.end(), [&](std::uint32_t node) {
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
        draft_.add_edge({*std::prev(next), blocks[i].first, Evidence::kThreadHandOff, inferred},
                        diagnostics_);
      if (next != nodes.end())
        draft_.add_edge({blocks[end - 1].last, *next, Evidence::kThreadHandOff, inferred},
                        diagnostics_);
      i = end;
    }
  }

  /// A backward op cannot start before its forward op has ended.
  void add_pair(std::uint32_t forward_op, std::uint32_t backward_op) {
    if (linked_.ops.lane[forward_op] == linked_.ops.lane[backward_op]) return;
    const DraftEdge edge{draft_.op_last[forward_op], draft_.op_node[backward_op],
                         Evidence::kThreadHandOff};
    draft_.add_edge(edge, diagnostics_);
  }

 private:
  std::uint32_t block_key(std::uint32_t node) const {
    const Node& n = draft_.nodes[node];
    const std::uint32_t op = n.kind == NodeKind::kCall ? linked_.calls.parent[n.source] : n.source;
    if (op == kNoIndex ||
        (linked_.ops.is_annotation[outermost_[op]] != 0 && n.kind == NodeKind::kCall))
      return kNoIndex - 1 - node % (kNoIndex / 2);  // a block of its own
    return outermost_[op];
  }

  std::vector<Block> blocks_of(std::uint32_t lane) const {
    std::vector<Block> blocks;
    std::uint32_t key = kNoIndex;
    for (std::uint32_t node : draft_.lane_nodes[lane]) {
      const std::uint32_t own = block_key(node);
      if (blocks.empty() || own != key) blocks.push_back({node, node});
      blocks.back().last = node;
      key = own;
    }
    return blocks;
  }

  Draft& draft_;
  const LinkedTrace& linked_;
  Diagnostics& diagnostics_;
  std::vector<std::uint32_t> outermost_;
};

/// The lane most of a backward lane's ops come from: by pairs, else by logical thread id.
std::uint32_t forward_lane(const LinkedTrace& linked, std::uint32_t backward,
                           const std::vector<ForwardBackwardPair>& pairs) {
  std::map<std::uint32_t, std::uint64_t> votes;
  for (const ForwardBackwardPair& pair : pairs)
    if (linked.ops.lane[pair.backward].value == backward &&
        linked.ops.lane[pair.forward].value != backward)
      ++votes[linked.ops.lane[pair.forward].value];
  if (votes.empty() && linked.has_host)
    for (std::uint32_t op = 0; op < linked.ops.size(); ++op) {
      if (linked.ops.lane[op].value != backward) continue;
      const auto tid = static_cast<std::int64_t>(forward_tid_of(linked, op));
      for (std::uint32_t lane = 0; lane < linked.lanes.size(); ++lane)
        if (lane != backward && !linked.lanes[lane].is_device && linked.lanes[lane].tid == tid)
          ++votes[lane];
    }
  const auto most = std::max_element(
      votes.begin(), votes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == votes.end() ? kNoIndex : most->first;
}

/// Where nothing names the forward thread: the other thread that starts first.
std::uint32_t earliest_lane(const Draft& draft, std::uint32_t except) {
  std::uint32_t best = kNoIndex;
  for (std::uint32_t lane = 0; lane < draft.lane_nodes.size(); ++lane) {
    if (lane == except || draft.lane_nodes[lane].empty() || draft.linked.lanes[lane].is_backward)
      continue;
    if (best == kNoIndex || draft.start_ns(draft.lane_nodes[lane].front()) <
                                draft.start_ns(draft.lane_nodes[best].front()))
      best = lane;
  }
  return best;
}

}  // namespace

void add_thread_hand_off(Draft& draft, Diagnostics& diagnostics) {
  const LinkedTrace& linked = draft.linked;
  const std::vector<ForwardBackwardPair> pairs = forward_backward_pairs(linked);
  HandOff hand_off(draft, diagnostics);
  for (std::uint32_t lane = 0; lane < linked.lanes.size(); ++lane) {
    if (!linked.lanes[lane].is_backward) continue;
    const std::uint32_t forward = forward_lane(linked, lane, pairs);
    const bool is_known = forward != kNoIndex;
    const std::uint32_t partner = is_known ? forward : earliest_lane(draft, lane);
    if (partner != kNoIndex)
      hand_off.add_runs(lane, partner, is_known ? Inference::kNone : Inference::kTiming);
  }
  for (const ForwardBackwardPair& pair : pairs) hand_off.add_pair(pair.forward, pair.backward);
}

}  // namespace nadi
