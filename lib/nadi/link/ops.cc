#include "nadi/link/ops.h"

#include <algorithm>
#include <numeric>

#include "nadi/link/key_index.h"

namespace nadi {
namespace {

/// One op before it has its place: what the order needs, and where it comes from.
struct Candidate {
  std::uint32_t lane;
  std::uint32_t host, profiler;
  Ns start_ns, duration_ns;
  std::uint64_t started;  ///< grows in the order ops began: rf id, External id, or file order
};

/// By lane, then time; the outer of two that start together first (K10: ids grow at op start).
bool begins_before(const Candidate& a, const Candidate& b) {
  if (a.lane != b.lane) return a.lane < b.lane;
  if (a.start_ns != b.start_ns) return a.start_ns < b.start_ns;
  if (a.duration_ns != b.duration_ns) return a.duration_ns > b.duration_ns;
  return a.started < b.started;
}

Candidate timed_candidate(const LinkedTrace& linked, const LaneTable& lanes, std::uint32_t host,
                          std::uint32_t profiler) {
  const ProfilerOps& ops = linked.device.ops;
  const std::uint64_t started = ops.rf_id[profiler] != 0         ? ops.rf_id[profiler]
                                : ops.external_id[profiler] != 0 ? ops.external_id[profiler]
                                                                 : ops.order[profiler];
  return {lanes.of_thread[ops.thread[profiler].value].value,
          host,
          profiler,
          ops.start_ns[profiler],
          ops.duration_ns[profiler],
          started};
}

/// Host ops that the profiler did not record begin with the next one (by id) that it did.
void add_untimed(const LinkedTrace& linked, const OpMatch& match, const LaneTable& lanes,
                 std::vector<Candidate>& candidates) {
  const HostOps& ops = linked.host.ops;
  std::vector<std::uint32_t> by_id(ops.size());
  std::iota(by_id.begin(), by_id.end(), 0U);
  std::sort(by_id.begin(), by_id.end(),
            [&](std::uint32_t a, std::uint32_t b) { return ops.id[a] < ops.id[b]; });
  Ns next = linked.device.last_ns;
  std::vector<Ns> next_on(linked.lanes.size(), kNoTime);
  for (auto place = by_id.rbegin(); place != by_id.rend(); ++place) {
    const std::uint32_t row = *place;
    if (is_root(linked.strings[ops.name[row]])) continue;
    const std::uint32_t profiler = match.profiler_of_host[row];
    if (profiler != kNoIndex) {
      next = linked.device.ops.start_ns[profiler];
      next_on[lanes.of_thread[linked.device.ops.thread[profiler].value].value] = next;
      continue;
    }
    const std::uint32_t lane = lanes.of_logical_tid.at(ops.tid[row]).value;
    const Ns start = next_on[lane] == kNoTime ? next : next_on[lane];
    candidates.push_back({lane, row, kNoIndex, start, 0, ops.rf_id[row]});
  }
}

void append(LinkedOps& ops, const LinkedTrace& linked, const Candidate& op) {
  const bool is_timed = op.profiler != kNoIndex;
  ops.name.push_back(op.host != kNoIndex ? linked.host.ops.name[op.host]
                                         : linked.device.ops.name[op.profiler]);
  ops.host.push_back(op.host);
  ops.profiler.push_back(op.profiler);
  ops.start_ns.push_back(op.start_ns);
  ops.duration_ns.push_back(op.duration_ns);
  ops.lane.push_back(LaneIndex(op.lane));
  ops.is_annotation.push_back(is_timed &&
                              linked.device.ops.kind[op.profiler] == ProfilerOpKind::kAnnotation);
  ops.step.push_back(-1);
  const CommIndex on_host = op.host != kNoIndex ? linked.host.ops.comm[op.host] : CommIndex();
  ops.comm.push_back(on_host    ? on_host
                     : is_timed ? linked.device.ops.comm[op.profiler]
                                : CommIndex());
}

/// Parents by time: the op that began last and is still open.
void nest_by_time(LinkedOps& ops) {
  ops.parent.assign(ops.size(), kNoIndex);
  std::vector<std::uint32_t> open;
  for (std::uint32_t row = 0; row < ops.size(); ++row) {
    const auto is_over = [&](std::uint32_t op) {
      return ops.lane[op] != ops.lane[row] ||
             ops.start_ns[op] + ops.duration_ns[op] <= ops.start_ns[row];
    };
    while (!open.empty() && is_over(open.back())) open.pop_back();
    if (!open.empty()) ops.parent[row] = open.back();
    open.push_back(row);
  }
}

/// The host trace knows the true parent; it counts where it is an earlier op of the same lane, so
/// that parents can have no cycle whatever the file says.
void nest_by_host_trace(LinkedTrace& linked) {
  LinkedOps& ops = linked.ops;
  std::vector<std::uint32_t> row_of_host(linked.host.ops.size(), kNoIndex);
  for (std::uint32_t row = 0; row < ops.size(); ++row)
    if (ops.host[row] != kNoIndex) row_of_host[ops.host[row]] = row;
  const KeyIndex<std::uint64_t> by_id(linked.host.ops.id, 0);
  for (std::uint32_t row = 0; row < ops.size(); ++row) {
    if (ops.host[row] == kNoIndex) continue;
    const auto found = by_id.rows(linked.host.ops.parent[ops.host[row]]);
    const std::uint32_t parent = found.empty() ? kNoIndex : row_of_host[found.front().row];
    if (parent == kNoIndex) continue;  // a root, or still open at the end (H1): as time says
    if (parent < row && ops.lane[parent] == ops.lane[row]) ops.parent[row] = parent;
  }
}

}  // namespace

void make_linked_ops(LinkedTrace& linked, const OpMatch& match, const LaneTable& lanes,
                     Diagnostics& diagnostics) {
  std::vector<Candidate> candidates;
  candidates.reserve(linked.device.ops.size());
  std::vector<bool> is_matched(linked.device.ops.size(), false);
  for (std::uint32_t host = 0; host < match.profiler_of_host.size(); ++host) {
    const std::uint32_t profiler = match.profiler_of_host[host];
    if (profiler == kNoIndex) continue;
    is_matched[profiler] = true;
    candidates.push_back(timed_candidate(linked, lanes, host, profiler));
  }
  std::uint64_t profiler_only = 0;
  for (std::uint32_t profiler = 0; profiler < linked.device.ops.size(); ++profiler) {
    if (is_matched[profiler]) continue;
    ++profiler_only;
    candidates.push_back(timed_candidate(linked, lanes, kNoIndex, profiler));
  }
  const std::size_t timed = candidates.size();
  if (linked.has_host) {
    add_untimed(linked, match, lanes, candidates);
    diagnostics.report("profiler-only-ops", Severity::kInfo, {}, profiler_only);
    diagnostics.report("untimed-ops", Severity::kInfo, {}, candidates.size() - timed);
  }
  std::sort(candidates.begin(), candidates.end(), begins_before);
  for (const Candidate& op : candidates) append(linked.ops, linked, op);
  nest_by_time(linked.ops);
  if (linked.has_host) nest_by_host_trace(linked);
}

std::vector<std::uint32_t> ops_by_lane(const LinkedTrace& linked) {
  std::vector<std::uint32_t> first(linked.lanes.size() + 1, 0);
  for (LaneIndex lane : linked.ops.lane) ++first[lane.value + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  return first;
}

}  // namespace nadi
