#include <algorithm>
#include <limits>
#include <map>

#include "nadi/graph/stages.h"

namespace nadi {
namespace {

/// Consecutive nodes of a lane that belong to one outermost op (annotations aside) or call.
struct Block {
  std::uint32_t first, last;
};

/// Outermost op that is no annotation around each op; the op itself where there is none.
std::vector<std::uint32_t> outermost_ops(const LinkedOps& ops) {
  std::vector<std::uint32_t> outermost(ops.size());
  for (std::uint32_t op = 0; op < ops.size(); ++op) {
    const std::uint32_t parent = ops.parent[op];  // parents come first
    const bool has_outer = parent != kNoIndex && ops.is_annotation[outermost[parent]] == 0;
    outermost[op] = has_outer ? outermost[parent] : op;
  }
  return outermost;
}

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

/// The op of the lane that starts at the time (ops are sorted by lane, then start).
std::uint32_t op_at(const LinkedTrace& linked, std::uint32_t lane, Ns time) {
  const LinkedOps& ops = linked.ops;
  std::uint32_t low = 0, high = static_cast<std::uint32_t>(ops.size());
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    const bool is_before = ops.lane[middle].value != lane ? ops.lane[middle].value < lane
                                                          : ops.start_ns[middle] < time;
    if (is_before)
      low = middle + 1;
    else
      high = middle;
  }
  const bool fits = low < ops.size() && ops.lane[low].value == lane && ops.start_ns[low] == time;
  return fits ? low : kNoIndex;
}

/// Lane of a profiler thread, found through its ops.
std::vector<std::uint32_t> lane_of_thread(const LinkedTrace& linked) {
  std::vector<std::uint32_t> lanes(linked.device.threads.size(), kNoIndex);
  for (std::size_t op = 0; op < linked.ops.size(); ++op)
    if (linked.ops.profiler[op] != kNoIndex)
      lanes[linked.device.ops.thread[linked.ops.profiler[op]].value] = linked.ops.lane[op].value;
  return lanes;
}

struct OpPair {
  std::uint32_t forward, backward;
};

/// Forward and backward ops joined by `fwdbwd` flows.
std::vector<OpPair> pairs_by_flow(const LinkedTrace& linked) {
  const Flows& flows = linked.device.flows;
  const std::vector<std::uint32_t> lanes = lane_of_thread(linked);
  std::map<std::int64_t, OpPair> by_id;
  for (std::size_t row = 0; row < flows.size(); ++row) {
    if (flows.kind[row] != FlowKind::kForwardBackward) continue;
    const std::uint32_t lane = lanes[flows.thread[row].value];
    if (lane == kNoIndex) continue;
    OpPair& pair = by_id.try_emplace(flows.id[row], OpPair{kNoIndex, kNoIndex}).first->second;
    (flows.is_finish[row] != 0 ? pair.backward : pair.forward) =
        op_at(linked, lane, flows.time_ns[row]);
  }
  std::vector<OpPair> pairs;
  for (const auto& [id, pair] : by_id)
    if (pair.forward != kNoIndex && pair.backward != kNoIndex) pairs.push_back(pair);
  return pairs;
}

/// Forward and backward ops joined by the host trace's fw_parent.
std::vector<OpPair> pairs_by_forward_parent(const LinkedTrace& linked) {
  std::map<std::uint64_t, std::uint32_t> by_id;
  for (std::uint32_t op = 0; op < linked.ops.size(); ++op)
    if (linked.ops.host[op] != kNoIndex) by_id[linked.host.ops.id[linked.ops.host[op]]] = op;
  std::vector<OpPair> pairs;
  for (std::uint32_t op = 0; op < linked.ops.size(); ++op) {
    if (linked.ops.host[op] == kNoIndex) continue;
    const auto forward = by_id.find(linked.host.ops.fw_parent[linked.ops.host[op]]);
    if (forward != by_id.end()) pairs.push_back({forward->second, op});
  }
  return pairs;
}

std::int64_t seq_id_of(const LinkedTrace& linked, std::uint32_t op) {
  if (linked.ops.host[op] != kNoIndex) return linked.host.ops.seq_id[linked.ops.host[op]];
  return linked.device.ops.seq_id[linked.ops.profiler[op]];
}

std::uint64_t forward_tid_of(const LinkedTrace& linked, std::uint32_t op) {
  if (linked.ops.host[op] != kNoIndex) return linked.host.ops.fw_tid[linked.ops.host[op]];
  return linked.device.ops.fwd_thread[linked.ops.profiler[op]];
}

/// The ops of one sequence number: of those that have ended by a time, the last to start.
class EndedOps {
 public:
  explicit EndedOps(const LinkedOps& ops) : ops_(&ops) {}

  void add(std::uint32_t op) {
    by_end_.push_back({ops_->start_ns[op] + ops_->duration_ns[op], op});
  }
  /// Between adding and asking.
  void sort() {
    std::sort(by_end_.begin(), by_end_.end());
    for (std::size_t i = 1; i < by_end_.size(); ++i) {
      const std::uint32_t before = by_end_[i - 1].last_to_start;
      std::uint32_t& own = by_end_[i].last_to_start;
      if (starts_before(own, before)) own = before;
    }
  }
  /// kNoIndex = none has ended.
  std::uint32_t last_before(Ns time) const {
    const auto after = std::partition_point(
        by_end_.begin(), by_end_.end(), [&](const Entry& entry) { return entry.end_ns <= time; });
    return after == by_end_.begin() ? kNoIndex : std::prev(after)->last_to_start;
  }

 private:
  struct Entry {
    Ns end_ns;
    std::uint32_t last_to_start;  // of the entries up to this one
    friend bool operator<(const Entry& a, const Entry& b) {
      return a.end_ns != b.end_ns ? a.end_ns < b.end_ns : a.last_to_start < b.last_to_start;
    }
  };

  bool starts_before(std::uint32_t a, std::uint32_t b) const {
    return ops_->start_ns[a] != ops_->start_ns[b] ? ops_->start_ns[a] < ops_->start_ns[b] : a < b;
  }

  const LinkedOps* ops_;
  std::vector<Entry> by_end_;
};

/// Forward and backward ops joined by sequence number: the last forward op before it that carries
/// the number.
std::vector<OpPair> pairs_by_seq_id(const LinkedTrace& linked) {
  std::map<std::int64_t, EndedOps> forward;
  for (std::uint32_t op = 0; op < linked.ops.size(); ++op)
    if (seq_id_of(linked, op) >= 0 && forward_tid_of(linked, op) == 0 &&
        !linked.lanes[linked.ops.lane[op].value].is_backward)
      forward.try_emplace(seq_id_of(linked, op), linked.ops).first->second.add(op);
  for (auto& [seq_id, ops] : forward) ops.sort();
  std::vector<OpPair> pairs;
  for (std::uint32_t op = 0; op < linked.ops.size(); ++op) {
    if (forward_tid_of(linked, op) == 0) continue;
    const auto found = forward.find(seq_id_of(linked, op));
    if (found == forward.end()) continue;
    const std::uint32_t last = found->second.last_before(linked.ops.start_ns[op]);
    if (last != kNoIndex) pairs.push_back({last, op});
  }
  return pairs;
}

/// The lane most of a backward lane's ops come from: by pairs, else by logical thread id.
std::uint32_t forward_lane(const LinkedTrace& linked, std::uint32_t backward,
                           const std::vector<OpPair>& pairs) {
  std::map<std::uint32_t, std::uint64_t> votes;
  for (const OpPair& pair : pairs)
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
  std::vector<OpPair> pairs = pairs_by_flow(linked);
  for (const auto& more : {pairs_by_forward_parent(linked), pairs_by_seq_id(linked)})
    pairs.insert(pairs.end(), more.begin(), more.end());
  HandOff hand_off(draft, diagnostics);
  for (std::uint32_t lane = 0; lane < linked.lanes.size(); ++lane) {
    if (!linked.lanes[lane].is_backward) continue;
    const std::uint32_t forward = forward_lane(linked, lane, pairs);
    const bool is_known = forward != kNoIndex;
    const std::uint32_t partner = is_known ? forward : earliest_lane(draft, lane);
    if (partner != kNoIndex)
      hand_off.add_runs(lane, partner, is_known ? Inference::kNone : Inference::kTiming);
  }
  for (const OpPair& pair : pairs) hand_off.add_pair(pair.forward, pair.backward);
}

}  // namespace nadi
