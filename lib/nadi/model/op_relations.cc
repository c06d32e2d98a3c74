#include "nadi/model/op_relations.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

#include "nadi/base/mix.h"
#include "nadi/base/sort_rows.h"
#include "nadi/model/step_names.h"

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

namespace {

/// The name of an annotation without what stands in parentheses: "FSDP::pre_forward " of
/// "FSDP::pre_forward (layers.3)".
std::string name_of_code(std::string_view annotation) {
  std::string name;
  int depth = 0;
  for (const char c : annotation) {
    if (c == '(') ++depth;
    if (depth == 0) name += c;
    if (c == ')' && depth > 0) --depth;
  }
  return name;
}

}  // namespace

std::uint64_t CodeOfOps::of(LinkedOpIndex op) {
  const StringId name = linked_.ops.name[op];
  if (linked_.ops.is_annotation[op] == 0) return static_cast<std::uint64_t>(name);
  const auto [known, is_new] = known_.try_emplace(name, name);
  if (is_new)
    known->second = first_.try_emplace(name_of_code(linked_.strings[name]), name).first->second;
  return static_cast<std::uint64_t>(known->second);
}

ByRow<LinkedOps, std::uint64_t> paths_of_ops(const LinkedTrace& linked) {
  const LinkedOps& ops = linked.ops;
  CodeOfOps code(linked);
  ByRow<LinkedOps, std::uint64_t> paths(ops.size());
  for (const LinkedOpIndex op : rows_of(ops)) {
    const std::uint64_t above = ops.parent[op] ? paths[ops.parent[op]] : 1;
    const bool is_step = is_step_name(linked.strings[ops.name[op]]);
    paths[op] = is_step ? above : mixed(above, code.of(op));
  }
  return paths;
}

HostIds::HostIds(const LinkedTrace& linked) : by_id_(entries_of(linked)) {}

std::vector<HostIds::ById::Entry> HostIds::entries_of(const LinkedTrace& linked) {
  std::vector<ById::Entry> entries;
  entries.reserve(linked.host.ops.size());
  for (const LinkedOpIndex op : rows_of(linked.ops))
    if (linked.ops.host[op]) entries.push_back({linked.host.ops.id[linked.ops.host[op]], op});
  return entries;
}

LinkedOpIndex HostIds::op_of(std::uint64_t id) const {
  if (id == 0) return {};
  const auto found = by_id_.rows(id);
  return found.empty() ? LinkedOpIndex() : found.front().row;
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
  std::vector<ForwardBackwardPair> pairs;
  const HostIds ids(linked);
  for (const LinkedOpIndex op : rows_of(linked.ops)) {
    if (!linked.ops.host[op]) continue;
    const LinkedOpIndex forward = ids.op_of(linked.host.ops.fw_parent[linked.ops.host[op]]);
    if (forward) pairs.push_back({forward, op});
  }
  return pairs;
}

std::int64_t seq_id_of(const LinkedTrace& linked, LinkedOpIndex op) {
  if (linked.ops.host[op]) return linked.host.ops.seq_id[linked.ops.host[op]];
  return linked.device.ops.seq_id[linked.ops.profiler[op]];
}

/// The forward ops that carry sequence numbers: of those of a number that have ended by a time, the
/// last to start.
class EndedOps {
 public:
  explicit EndedOps(const LinkedTrace& linked) : ops_(linked.ops) {
    for (const LinkedOpIndex op : rows_of(ops_))
      if (seq_id_of(linked, op) >= 0 && forward_tid_of(linked, op) == 0 &&
          !linked.lanes[ops_.lane[op]].is_backward)
        by_end_.push_back({seq_id_of(linked, op), op_end_ns(ops_, op), op});
    sort_rows(by_end_, [](const Entry& a, const Entry& b) {
      return std::tie(a.seq_id, a.end_ns, a.last_to_start) <
             std::tie(b.seq_id, b.end_ns, b.last_to_start);
    });
    for (std::size_t i = 1; i < by_end_.size(); ++i) {
      const Entry& before = by_end_[i - 1];
      Entry& own = by_end_[i];
      if (own.seq_id == before.seq_id && starts_before(own.last_to_start, before.last_to_start))
        own.last_to_start = before.last_to_start;
    }
  }

  /// None = none has ended.
  LinkedOpIndex last_before(std::int64_t seq_id, Ns time) const {
    const auto after =
        std::partition_point(by_end_.begin(), by_end_.end(), [&](const Entry& entry) {
          return std::tie(entry.seq_id, entry.end_ns) <= std::tie(seq_id, time);
        });
    const bool has_ended = after != by_end_.begin() && std::prev(after)->seq_id == seq_id;
    return has_ended ? std::prev(after)->last_to_start : LinkedOpIndex();
  }

 private:
  struct Entry {
    std::int64_t seq_id;
    Ns end_ns;
    LinkedOpIndex last_to_start;  // of the number's entries up to this one
  };

  bool starts_before(LinkedOpIndex a, LinkedOpIndex b) const {
    return ops_.start_ns[a] != ops_.start_ns[b] ? ops_.start_ns[a] < ops_.start_ns[b] : a < b;
  }

  const LinkedOps& ops_;
  std::vector<Entry> by_end_;
};

/// Forward and backward ops joined by sequence number: the last forward op before it that carries
/// the number.
std::vector<ForwardBackwardPair> pairs_by_seq_id(const LinkedTrace& linked) {
  const EndedOps forward(linked);
  std::vector<ForwardBackwardPair> pairs;
  for (const LinkedOpIndex op : rows_of(linked.ops)) {
    if (forward_tid_of(linked, op) == 0) continue;
    const LinkedOpIndex last = forward.last_before(seq_id_of(linked, op), linked.ops.start_ns[op]);
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
