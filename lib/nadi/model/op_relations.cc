#include "nadi/model/op_relations.h"

#include <algorithm>
#include <map>

namespace nadi {

ByRow<LinkedOps, LinkedOpIndex> outermost_cpu_ops(const LinkedOps& ops) {
  ByRow<LinkedOps, LinkedOpIndex> outermost(ops.size());
  for (const LinkedOpIndex op : rows_of(ops)) {
    const LinkedOpIndex parent = ops.parent[op];  // parents come first
    const bool has_outer = parent && ops.is_annotation[outermost[parent]] == 0;
    outermost[op] = has_outer ? outermost[parent] : op;
  }
  return outermost;
}

std::uint64_t forward_tid_of(const LinkedTrace& linked, LinkedOpIndex op) {
  if (linked.ops.host[op]) return linked.host.ops.fw_tid[linked.ops.host[op]];
  return linked.device.ops.fwd_thread[linked.ops.profiler[op]];
}

namespace {

/// The op of the lane that starts at the time (ops are sorted by lane, then start).
LinkedOpIndex op_at(const LinkedTrace& linked, LaneIndex lane, Ns time) {
  const LinkedOps& ops = linked.ops;
  LinkedOpIndex low(0), high(ops.size());
  while (low < high) {
    const LinkedOpIndex middle = low + (high - low) / 2;
    const bool is_before =
        ops.lane[middle] != lane ? ops.lane[middle] < lane : ops.start_ns[middle] < time;
    if (is_before)
      low = middle + 1;
    else
      high = middle;
  }
  const bool fits =
      low < LinkedOpIndex(ops.size()) && ops.lane[low] == lane && ops.start_ns[low] == time;
  return fits ? low : LinkedOpIndex();
}

/// Lane of a profiler thread, found through its ops.
ByRow<ProfilerThread, LaneIndex> lane_of_thread(const LinkedTrace& linked) {
  ByRow<ProfilerThread, LaneIndex> lanes(linked.device.threads.size());
  for (const LinkedOpIndex op : rows_of(linked.ops))
    if (linked.ops.profiler[op])
      lanes[linked.device.ops.thread[linked.ops.profiler[op]]] = linked.ops.lane[op];
  return lanes;
}

/// Forward and backward ops joined by `fwdbwd` flows.
std::vector<ForwardBackwardPair> pairs_by_flow(const LinkedTrace& linked) {
  const Flows& flows = linked.device.flows;
  const ByRow<ProfilerThread, LaneIndex> lanes = lane_of_thread(linked);
  std::map<std::int64_t, ForwardBackwardPair> by_id;
  for (const FlowIndex flow : rows_of(flows)) {
    if (flows.kind[flow] != FlowKind::kForwardBackward) continue;
    const LaneIndex lane = lanes[flows.thread[flow]];
    if (!lane) continue;
    ForwardBackwardPair& pair = by_id[flows.id[flow]];
    (flows.is_finish[flow] != 0 ? pair.backward : pair.forward) =
        op_at(linked, lane, flows.time_ns[flow]);
  }
  std::vector<ForwardBackwardPair> pairs;
  for (const auto& [id, pair] : by_id)
    if (pair.forward && pair.backward) pairs.push_back(pair);
  return pairs;
}

/// Forward and backward ops joined by the host trace's fw_parent.
std::vector<ForwardBackwardPair> pairs_by_forward_parent(const LinkedTrace& linked) {
  std::map<std::uint64_t, LinkedOpIndex> by_id;
  for (const LinkedOpIndex op : rows_of(linked.ops))
    if (linked.ops.host[op]) by_id[linked.host.ops.id[linked.ops.host[op]]] = op;
  std::vector<ForwardBackwardPair> pairs;
  for (const LinkedOpIndex op : rows_of(linked.ops)) {
    if (!linked.ops.host[op]) continue;
    const auto forward = by_id.find(linked.host.ops.fw_parent[linked.ops.host[op]]);
    if (forward != by_id.end()) pairs.push_back({forward->second, op});
  }
  return pairs;
}

std::int64_t seq_id_of(const LinkedTrace& linked, LinkedOpIndex op) {
  if (linked.ops.host[op]) return linked.host.ops.seq_id[linked.ops.host[op]];
  return linked.device.ops.seq_id[linked.ops.profiler[op]];
}

/// The ops of one sequence number: of those that have ended by a time, the last to start.
class EndedOps {
 public:
  explicit EndedOps(const LinkedOps& ops) : ops_(&ops) {}

  void add(LinkedOpIndex op) {
    by_end_.push_back({ops_->start_ns[op] + ops_->duration_ns[op], op});
  }
  /// Between adding and asking.
  void sort() {
    std::sort(by_end_.begin(), by_end_.end());
    for (std::size_t i = 1; i < by_end_.size(); ++i) {
      const LinkedOpIndex before = by_end_[i - 1].last_to_start;
      LinkedOpIndex& own = by_end_[i].last_to_start;
      if (starts_before(own, before)) own = before;
    }
  }
  /// None = none has ended.
  LinkedOpIndex last_before(Ns time) const {
    const auto after = std::partition_point(
        by_end_.begin(), by_end_.end(), [&](const Entry& entry) { return entry.end_ns <= time; });
    return after == by_end_.begin() ? LinkedOpIndex() : std::prev(after)->last_to_start;
  }

 private:
  struct Entry {
    Ns end_ns;
    LinkedOpIndex last_to_start;  // of the entries up to this one
    friend bool operator<(const Entry& a, const Entry& b) {
      return a.end_ns != b.end_ns ? a.end_ns < b.end_ns : a.last_to_start < b.last_to_start;
    }
  };

  bool starts_before(LinkedOpIndex a, LinkedOpIndex b) const {
    return ops_->start_ns[a] != ops_->start_ns[b] ? ops_->start_ns[a] < ops_->start_ns[b] : a < b;
  }

  const LinkedOps* ops_;
  std::vector<Entry> by_end_;
};

/// Forward and backward ops joined by sequence number: the last forward op before it that carries
/// the number.
std::vector<ForwardBackwardPair> pairs_by_seq_id(const LinkedTrace& linked) {
  std::map<std::int64_t, EndedOps> forward;
  for (const LinkedOpIndex op : rows_of(linked.ops))
    if (seq_id_of(linked, op) >= 0 && forward_tid_of(linked, op) == 0 &&
        !linked.lanes[linked.ops.lane[op]].is_backward)
      forward.try_emplace(seq_id_of(linked, op), linked.ops).first->second.add(op);
  for (auto& [seq_id, ops] : forward) ops.sort();
  std::vector<ForwardBackwardPair> pairs;
  for (const LinkedOpIndex op : rows_of(linked.ops)) {
    if (forward_tid_of(linked, op) == 0) continue;
    const auto found = forward.find(seq_id_of(linked, op));
    if (found == forward.end()) continue;
    const LinkedOpIndex last = found->second.last_before(linked.ops.start_ns[op]);
    if (last) pairs.push_back({last, op});
  }
  return pairs;
}

}  // namespace

std::vector<ForwardBackwardPair> forward_backward_pairs(const LinkedTrace& linked) {
  std::vector<ForwardBackwardPair> pairs = pairs_by_flow(linked);
  for (const auto& more : {pairs_by_forward_parent(linked), pairs_by_seq_id(linked)})
    pairs.insert(pairs.end(), more.begin(), more.end());
  return pairs;
}

}  // namespace nadi
