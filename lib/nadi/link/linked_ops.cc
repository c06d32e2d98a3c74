#include "nadi/link/linked_ops.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "nadi/base/key_index.h"
#include "nadi/base/sort_rows.h"

namespace nadi {
namespace {

/// One op before it has its place: what the order needs, and where it comes from.
struct OpCandidate {
  LaneIndex lane;
  HostOpIndex host;
  ProfilerOpIndex profiler;
  Ns start_ns, duration_ns;
  /// rf id or External id, both counted up at op start (K10), or, where it gives the order, the
  /// host op's; 0 = none
  std::uint64_t id;
};

/// By lane, then time; of those that start together the longer, which is the outer, first.
bool begins_before(const OpCandidate& a, const OpCandidate& b) {
  return std::tuple(a.lane, a.start_ns, -a.duration_ns, a.id, a.profiler) <
         std::tuple(b.lane, b.start_ns, -b.duration_ns, b.id, b.profiler);
}

/// The same where ids say who began first: an op of no length is not inside the one that follows.
bool begins_before_by_id(const OpCandidate& a, const OpCandidate& b) {
  return std::tuple(a.lane, a.start_ns, a.id) < std::tuple(b.lane, b.start_ns, b.id);
}

/// Do all ops have ids, and do these grow with time on every lane? Candidates are sorted.
bool ids_grow(const std::vector<OpCandidate>& sorted) {
  std::uint64_t highest = 0, highest_before = 0;  // on the lane; before the current start
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const bool is_new_lane = i == 0 || sorted[i].lane != sorted[i - 1].lane;
    if (is_new_lane) highest = 0;
    if (is_new_lane || sorted[i].start_ns != sorted[i - 1].start_ns) highest_before = highest;
    if (sorted[i].id <= highest_before) return false;
    highest = std::max(highest, sorted[i].id);
  }
  return true;
}

void sort_candidates(std::vector<OpCandidate>& candidates) {
  sort_rows(candidates, begins_before);
  if (ids_grow(candidates)) sort_rows(candidates, begins_before_by_id);
}

bool have_rf_ids(const ProfilerOps& ops) {
  return std::none_of(ops.rf_id.begin(), ops.rf_id.end(), [](std::uint64_t id) { return id == 0; });
}

/// No op has this id.
constexpr std::uint64_t kNoId = std::numeric_limits<std::uint64_t>::max();
using HostOpsById = KeyIndex<HostOps, std::uint64_t>;

/// Host ops that the profiler did not record begin with the next one (by id) that it did, unless
/// the match knows better.
void add_untimed(const LinkedTrace& linked, const OpMatch& match, const LaneTable& lanes,
                 const HostOpsById& by_id, std::vector<OpCandidate>& candidates) {
  const HostOps& ops = linked.host.ops;
  Ns next = linked.device.last_ns == kNoTime ? 0 : linked.device.last_ns;
  ByRow<Lane, Ns> next_on(linked.lanes.size(), kNoTime);
  for (auto op = by_id.entries().rbegin(); op != by_id.entries().rend(); ++op) {
    const HostOpIndex row = op->row;
    if (is_root(linked.strings[ops.name[row]])) continue;
    if (const ProfilerOpIndex profiler = match.profiler_of_host[row]) {
      next = linked.device.ops.start_ns[profiler];
      next_on[lanes.of_thread[linked.device.ops.thread[profiler]]] = next;
      continue;
    }
    const LaneIndex lane = lanes.of_logical_tid.at(ops.tid[row]);
    const Ns recorded = match.untimed_ns.empty() ? kNoTime : match.untimed_ns[row];
    const Ns start = recorded != kNoTime        ? recorded
                     : next_on[lane] == kNoTime ? next
                                                : next_on[lane];
    candidates.push_back(
        {lane, row, {}, start, 0, match.ids_tell_order ? ops.id[row] : ops.rf_id[row]});
  }
}

void fill(LinkedOpIndex row, const LinkedTrace& linked, const OpCandidate& op, LinkedOps& ops) {
  const bool is_timed{op.profiler};
  // Where the traces differ in a name it is the number of a step: the device trace's counts, as it
  // does for steps that the host trace lacks.
  ops.name[row] = is_timed ? linked.device.ops.name[op.profiler] : linked.host.ops.name[op.host];
  ops.host[row] = op.host;
  ops.profiler[row] = op.profiler;
  ops.start_ns[row] = op.start_ns;
  ops.duration_ns[row] = op.duration_ns;
  ops.lane[row] = op.lane;
  ops.is_annotation[row] =
      is_timed && linked.device.ops.kind[op.profiler] == ProfilerOpKind::kAnnotation;
}

/// Parents by time: the op that began last and is still open.
void nest_by_time(LinkedOps& ops) {
  std::vector<LinkedOpIndex> open;
  for (const LinkedOpIndex row : rows_of(ops)) {
    const auto is_over = [&](LinkedOpIndex op) {
      return ops.lane[op] != ops.lane[row] || op_end_ns(ops, op) <= ops.start_ns[row];
    };
    while (!open.empty() && is_over(open.back())) open.pop_back();
    if (!open.empty()) ops.parent[row] = open.back();
    open.push_back(row);
  }
}

/// The host trace knows the true parent; it counts where it is an earlier op of the same lane, so
/// that parents can have no cycle whatever the file says.
void nest_by_host_trace(const LinkedTrace& linked, const HostOpsById& by_id, LinkedOps& ops) {
  const auto op_of_host = linked_ops_of_host(ops, linked.host.ops.size());
  for (const LinkedOpIndex row : rows_of(ops)) {
    const std::uint64_t id = ops.host[row] ? linked.host.ops.parent[ops.host[row]] : 0;
    if (id == 0) continue;
    const auto found = by_id.rows(id);
    const LinkedOpIndex parent = found.empty() ? LinkedOpIndex() : op_of_host[found.front().row];
    if (!parent) continue;  // a root, or still open at the end (H1): as time says
    if (parent < row && ops.lane[parent] == ops.lane[row]) ops.parent[row] = parent;
  }
}

/// Ops with times: matched pairs, then what only the profiler knows.
std::vector<OpCandidate> timed_candidates(const LinkedTrace& linked, const OpMatch& match,
                                          const LaneTable& lanes) {
  const ProfilerOps& ops = linked.device.ops;
  ByRow<ProfilerOps, HostOpIndex> host_of(ops.size());
  for (const HostOpIndex host : rows_of(match.profiler_of_host))
    if (match.profiler_of_host[host]) host_of[match.profiler_of_host[host]] = host;
  const bool by_rf_id = !match.ids_tell_order && have_rf_ids(ops);
  std::vector<OpCandidate> candidates;
  candidates.reserve(ops.size() + linked.host.ops.size() - match.matched);
  for (const ProfilerOpIndex profiler : rows_of(ops))
    candidates.push_back({lanes.of_thread[ops.thread[profiler]], host_of[profiler], profiler,
                          ops.start_ns[profiler], ops.duration_ns[profiler],
                          by_rf_id ? ops.rf_id[profiler] : ops.external_id[profiler]});
  return candidates;
}

}  // namespace

ByRow<HostOps, LinkedOpIndex> linked_ops_of_host(const LinkedOps& ops, std::size_t host_ops) {
  ByRow<HostOps, LinkedOpIndex> op_of_host(host_ops);
  for (const LinkedOpIndex op : rows_of(ops))
    if (ops.host[op]) op_of_host[ops.host[op]] = op;
  return op_of_host;
}

LinkedOps make_linked_ops(const LinkedTrace& linked, const OpMatch& match, const LaneTable& lanes,
                          Diagnostics& diagnostics) {
  std::vector<OpCandidate> candidates = timed_candidates(linked, match, lanes);
  const HostOpsById by_id(linked.host.ops.id, kNoId);
  if (linked.has_host) {
    const std::size_t timed = candidates.size();
    add_untimed(linked, match, lanes, by_id, candidates);
    diagnostics.report(Finding::kProfilerOnlyOps, {}, timed - match.matched);
    diagnostics.report(Finding::kUntimedOps, {}, candidates.size() - timed);
  }
  sort_candidates(candidates);
  LinkedOps ops;
  append_rows(ops, candidates.size());
  for (const LinkedOpIndex row : rows_of(ops)) fill(row, linked, candidates[row.value], ops);
  nest_by_time(ops);
  if (linked.has_host) nest_by_host_trace(linked, by_id, ops);
  return ops;
}

}  // namespace nadi
