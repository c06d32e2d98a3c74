#include "nadi/link/launches.h"

#include <algorithm>
#include <compare>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "nadi/base/key_index.h"
#include "nadi/base/sort_rows.h"
#include "nadi/link/api_order.h"
#include "nadi/link/report_at.h"
#include "nadi/model/row_order.h"

namespace nadi {
namespace {

/// Finds ops by the `External id` of rows (K12), which is evidence only if it is no copy of the
/// correlation.
class OpsByExternalId {
 public:
  OpsByExternalId(const DeviceTrace& device, const KeyIndex<RuntimeCalls, std::int64_t>& calls)
      : device_(device),
        ops_(device.ops.external_id, 0),
        is_proven_(names_launching_ops(calls)),
        launching_(device.rows.size()) {
    find_launching();
  }

  /// The op that launched the row: open when the row starts or, where other rows prove that their
  /// id names the op around their call, the last one that began before.
  ProfilerOpIndex launching(DeviceRowIndex row) const { return launching_[row]; }

 private:
  /// The ops of one id that have begun.
  struct Begun {
    std::priority_queue<ProfilerOpIndex, std::vector<ProfilerOpIndex>, std::greater<>> open;
    ProfilerOpIndex last;  ///< the first in the file of those that began last
  };

  /// One walk through the times of ops and rows.
  void find_launching() {
    std::map<std::uint64_t, Begun> begun;
    std::vector<ProfilerOpIndex> ops;
    for (const auto& entry : ops_.entries()) ops.push_back(entry.row);
    sort_by_time(ops, device_.ops.start_ns);
    auto next = ops.begin();
    for (const DeviceRowIndex row : rows_that_name_ops()) {
      const Ns start = device_.rows.start_ns[row];
      for (; next != ops.end() && device_.ops.start_ns[*next] <= start; ++next) {
        Begun& of_id = begun[device_.ops.external_id[*next]];
        of_id.open.push(*next);
        if (!of_id.last || device_.ops.start_ns[of_id.last] < device_.ops.start_ns[*next])
          of_id.last = *next;
      }
      const auto found = begun.find(device_.rows.external_id[row]);
      if (found == begun.end()) continue;
      auto& [open, last] = found->second;
      while (!open.empty() && op_end_ns(device_.ops, open.top()) <= start) open.pop();
      launching_[row] = !open.empty() ? open.top() : is_proven_ ? last : ProfilerOpIndex();
    }
  }

  template <class Table>
  static void sort_by_time(std::vector<Index<Table>>& rows, const ByRow<Table, Ns>& times) {
    sort_rows(rows, [&](Index<Table> a, Index<Table> b) {
      return times[a] != times[b] ? times[a] < times[b] : a < b;
    });
  }

  /// In time order.
  std::vector<DeviceRowIndex> rows_that_name_ops() const {
    const DeviceRows& rows = device_.rows;
    std::vector<DeviceRowIndex> named;
    for (const DeviceRowIndex row : rows_of(rows))
      if (rows.external_id[row] != 0 && rows.start_ns[row] != kNoTime &&
          rows.external_id[row] != static_cast<std::uint64_t>(rows.correlation[row]))
        named.push_back(row);
    sort_by_time(named, rows.start_ns);
    return named;
  }

  /// Nearly all rows whose call is in the trace carry the id of an op that was open at the call.
  bool names_launching_ops(const KeyIndex<RuntimeCalls, std::int64_t>& calls) const {
    constexpr std::size_t kLeastRows = 20, kPercent = 95;
    const DeviceRows& rows = device_.rows;
    std::size_t known = 0, named = 0;
    for (const DeviceRowIndex row : rows_of(rows)) {
      const auto call = calls.rows(rows.correlation[row]);
      if (rows.correlation[row] < 0 || call.empty() || rows.external_id[row] == 0) continue;
      ++known;
      const Ns begin = device_.calls.start_ns[call.front().row];
      const auto ops = ops_.rows(rows.external_id[row]);
      if (ops.empty()) continue;
      const ProfilerOpIndex op = ops.front().row;
      const bool is_around = device_.ops.start_ns[op] <= begin &&
                             begin < op_end_ns(device_.ops, op) &&
                             device_.ops.thread[op] == device_.calls.thread[call.front().row];
      named += is_around ? 1 : 0;
    }
    return known >= kLeastRows && named * 100 >= known * kPercent;
  }

  const DeviceTrace& device_;
  KeyIndex<ProfilerOps, std::uint64_t> ops_;
  bool is_proven_;
  ByRow<DeviceRows, ProfilerOpIndex> launching_;
};

/// Finds the call of a row by correlation.
class CallsByCorrelation {
 public:
  /// Both must outlive it.
  CallsByCorrelation(const RuntimeCalls& calls, const KeyIndex<RuntimeCalls, std::int64_t>& index)
      : calls_(calls), index_(index) {
    index.for_each_key([&](const auto& same) {
      if (same.size() == 1) return;
      for (const auto& [correlation, call] : same)
        by_begin_.push_back({correlation, calls.start_ns[call], call});
    });
    sort_rows(by_begin_);
  }

  /// Returns the call of the correlation. If several have it (K11), it is the last that began by
  /// `time`; but the first in the file, if that one began later.
  CallIndex call_of(std::int64_t correlation, Ns time) const {
    const auto same = index_.rows(correlation);
    if (correlation < 0 || same.empty()) return {};
    const CallIndex first = same.front().row;
    if (same.size() == 1 || calls_.start_ns[first] > time) return first;
    const auto after =
        std::lower_bound(by_begin_.begin(), by_begin_.end(), Entry{correlation, time, CallIndex()});
    const Ns begin = std::prev(after)->begin_ns;
    return std::lower_bound(by_begin_.begin(), after, Entry{correlation, begin, CallIndex(0)})
        ->call;
  }

 private:
  struct Entry {
    std::int64_t correlation;
    Ns begin_ns;
    CallIndex call;
    auto operator<=>(const Entry&) const = default;
  };

  const RuntimeCalls& calls_;
  const KeyIndex<RuntimeCalls, std::int64_t>& index_;
  std::vector<Entry> by_begin_;  // calls that share their correlation
};

/// Launch flows (K14): the start that belongs to a row, by the finish that stands where the row
/// begins, else by id = correlation.
class LaunchFlows {
 public:
  explicit LaunchFlows(const DeviceTrace& device)
      : device_(device),
        starts_(start_ids(device.flows), -1),
        finishes_(finishes(device, starts_), kNowhere) {}

  /// None = there is none.
  FlowIndex start_of(DeviceRowIndex row) const {
    const auto finish = finishes_.rows({device_.rows.start_ns[row], device_.rows.stream[row]});
    if (!finish.empty()) return starts_.rows(device_.flows.id[finish.front().row]).front().row;
    const std::int64_t correlation = device_.rows.correlation[row];
    const auto found = starts_.rows(correlation);
    return correlation < 0 || found.empty() ? FlowIndex() : found.front().row;
  }

 private:
  using LaneTime = std::pair<Ns, std::int64_t>;
  static constexpr LaneTime kNowhere{kNoTime, -1};

  static ByRow<Flows, std::int64_t> start_ids(const Flows& flows) {
    ByRow<Flows, std::int64_t> result(flows.size(), -1);
    for (const FlowIndex row : rows_of(flows))
      if (flows.kind[row] == FlowKind::kLaunch && flows.is_finish[row] == 0)
        result[row] = flows.id[row];
    return result;
  }
  /// By flow: where it finishes, if there is a start that belongs to it.
  static ByRow<Flows, LaneTime> finishes(const DeviceTrace& device,
                                         const KeyIndex<Flows, std::int64_t>& starts) {
    const Flows& flows = device.flows;
    ByRow<Flows, LaneTime> result(flows.size(), kNowhere);
    for (const FlowIndex row : rows_of(flows))
      if (flows.kind[row] == FlowKind::kLaunch && flows.is_finish[row] != 0 &&
          !starts.rows(flows.id[row]).empty())
        result[row] = {flows.time_ns[row], device.threads[flows.thread[row]].number};
    return result;
  }

  const DeviceTrace& device_;
  KeyIndex<Flows, std::int64_t> starts_;
  KeyIndex<Flows, LaneTime> finishes_;
};

/// A row whose call is lost was launched after the call of the next smaller correlation, if
/// correlation ids grow with time.
void set_launched_after(LinkedTrace& linked, const ApiOrder& api) {
  LinkedRows& rows = linked.rows;
  if (!api.is_by_correlation()) return;
  for (const DeviceRowIndex row : rows_of(rows)) {
    const std::int64_t correlation = linked.device.rows.correlation[row];
    if (rows.launch_ns[row] != kNoTime || correlation < 0) continue;
    const Ns before = api.begin_before(correlation);
    if (before <= row_start_ns(linked, row)) rows.launched_after_ns[row] = before;
  }
}

/// The latest time at which a row whose launch is unknown can have been enqueued.
Ns latest_enqueue_ns(const LinkedTrace& linked, DeviceRowIndex row, ProfilerOpIndex op) {
  const Ns start = row_start_ns(linked, row);
  if (!op) return start;
  return std::min(start, op_end_ns(linked.device.ops, op));
}

/// Places rows without a known launch in API order: by correlation, else between the rows around
/// them on their lane.
void set_enqueue_times(LinkedTrace& linked, const ApiOrder& api,
                       const ByRow<DeviceRows, ProfilerOpIndex>& named) {
  LinkedRows& rows = linked.rows;
  rows.enqueue_ns = rows.launch_ns;
  const bool all_known =
      std::find(rows.launch_ns.begin(), rows.launch_ns.end(), kNoTime) == rows.launch_ns.end();
  if (all_known) return order_rows(linked);  // nearly every trace
  set_launched_after(linked, api);
  for (const DeviceRowIndex row : rows_of(rows)) {
    if (rows.launch_ns[row] != kNoTime) continue;
    const Ns after = rows.launched_after_ns[row];
    rows.enqueue_ns[row] = after != kNoTime ? after : latest_enqueue_ns(linked, row, named[row]);
  }
  order_rows(linked);
  for (const auto& lane : linked.rows_by_lane) {
    Ns next = std::numeric_limits<Ns>::max();
    for (auto row = lane.rbegin(); row != lane.rend(); ++row) {
      if (rows.launch_ns[*row] == kNoTime)
        rows.enqueue_ns[*row] = std::min(rows.enqueue_ns[*row], next);
      next = rows.enqueue_ns[*row];
    }
  }
  order_rows(linked);
}

void set_launch(LinkedRows& rows, DeviceRowIndex row, LinkEvidence evidence, CallIndex call,
                Ns time, LaneIndex lane) {
  rows.evidence[row] = evidence;
  rows.launch[row] = call;
  rows.launch_ns[row] = time;
  rows.launch_lane[row] = lane;
}

}  // namespace

ByRow<DeviceRows, ProfilerOpIndex> link_device_rows(LinkedTrace& linked, LaneTable& lanes,
                                                    Diagnostics& diagnostics) {
  const DeviceTrace& device = linked.device;
  const std::size_t count = device.rows.size();
  const ApiOrder api(device);
  const CallsByCorrelation calls(device.calls, api.calls());
  std::optional<LaunchFlows> flows;  // few traces need them, or the ops
  std::optional<OpsByExternalId> ops;
  LinkedRows& rows = linked.rows;
  append_rows(rows, count);
  ByRow<DeviceRows, ProfilerOpIndex> named(count);
  for (const DeviceRowIndex row : rows_of(device.rows)) {
    rows.lane[row] =
        lanes.stream_lane(linked.lanes, device.rows.device[row], device.rows.stream[row]);
    const std::int64_t correlation = device.rows.correlation[row];
    if (const CallIndex call = calls.call_of(correlation, device.rows.start_ns[row])) {
      set_launch(rows, row, LinkEvidence::kCorrelation, call, device.calls.start_ns[call],
                 lanes.of_thread[device.calls.thread[call]]);
      linked.calls.role[call] = CallRole::kLaunches;
      continue;
    }
    if (!flows) flows.emplace(device);
    if (const FlowIndex flow = flows->start_of(row)) {
      const LaneIndex lane = lanes.of_thread[device.flows.thread[flow]];
      if (lane && device.flows.time_ns[flow] <= device.rows.start_ns[row]) {
        set_launch(rows, row, LinkEvidence::kFlow, {}, device.flows.time_ns[flow], lane);
        continue;
      }
    }
    if (!ops) ops.emplace(device, api.calls());
    if (const ProfilerOpIndex op = ops->launching(row)) {
      set_launch(rows, row, LinkEvidence::kExternalId, {}, kNoTime,
                 lanes.of_thread[device.ops.thread[op]]);
      named[row] = op;
      continue;
    }
    report_at(diagnostics, Finding::kUnlaunchedRows, linked, linked.strings[device.rows.name[row]],
              device.rows.start_ns[row], correlation);
  }
  set_enqueue_times(linked, api, named);
  return named;
}

namespace {

/// A time on a host lane whose innermost op is wanted.
struct ParentQuery {
  LaneIndex lane;
  CallIndex call;  ///< none = a flow's start
  Ns time_ns;
  LinkedOpIndex* parent;
};

/// A call that begins with an op, as stamps say; `end_op`: behind the last op that begins then.
struct TiedCall {
  CallIndex call;
  LinkedOpIndex end_op;
};

std::vector<ParentQuery> parent_queries(LinkedTrace& linked) {
  std::vector<ParentQuery> result;
  result.reserve(linked.calls.role.size());
  for (const CallIndex call : rows_of(linked.calls))
    result.push_back({linked.calls.lane[call], call, linked.device.calls.start_ns[call],
                      &linked.calls.parent[call]});
  for (const DeviceRowIndex row : rows_of(linked.rows))
    if (linked.rows.evidence[row] == LinkEvidence::kFlow)
      result.push_back(
          {linked.rows.launch_lane[row], {}, linked.rows.launch_ns[row], &linked.rows.parent[row]});
  sort_rows(result, [](const ParentQuery& a, const ParentQuery& b) {
    return a.lane != b.lane ? a.lane < b.lane : a.time_ns < b.time_ns;
  });
  return result;
}

/// Walks ops and queries of all lanes in step; both are sorted by lane, then time.
std::vector<TiedCall> find_innermost(const LinkedOps& ops, const std::vector<ParentQuery>& wanted) {
  std::vector<TiedCall> tied;
  std::vector<LinkedOpIndex> open;
  LinkedOpIndex next(0);
  const LinkedOpIndex end(ops.size());
  for (const ParentQuery& query : wanted) {
    const auto is_before = [&](LinkedOpIndex op) {
      return ops.lane[op] != query.lane ? ops.lane[op] < query.lane
                                        : ops.start_ns[op] <= query.time_ns;
    };
    const auto is_over = [&](LinkedOpIndex op, LaneIndex lane, Ns time) {
      return ops.lane[op] != lane || op_end_ns(ops, op) <= time;
    };
    for (; next < end && is_before(next); ++next) {
      while (!open.empty() && is_over(open.back(), ops.lane[next], ops.start_ns[next]))
        open.pop_back();
      open.push_back(next);
    }
    while (!open.empty() && is_over(open.back(), query.lane, query.time_ns)) open.pop_back();
    *query.parent = open.empty() ? LinkedOpIndex() : open.back();
    const bool is_tied = query.call && next > LinkedOpIndex(0) &&
                         ops.lane[next - 1] == query.lane &&
                         ops.start_ns[next - 1] == query.time_ns;
    if (is_tied) tied.push_back({query.call, next});
  }
  return tied;
}

/// Finds by the `External id` of calls (K12) which ops began before and which after a call that has
/// the same stamp.
class TiedCalls {
 public:
  explicit TiedCalls(LinkedTrace& linked) : linked_(linked) {}

  /// Nearly all calls inside an op, if they are a few, carry its id: then one that does not is none
  /// of its calls.
  bool are_recorded() const {
    const LinkedCalls& calls = linked_.calls;
    std::size_t inside = 0, named = 0;
    for (const CallIndex call : rows_of(calls)) {
      const LinkedOpIndex op = calls.parent[call];
      if (!op || !is_recorded(op)) continue;
      if (linked_.ops.start_ns[op] == linked_.device.calls.start_ns[call]) continue;
      ++inside;
      named += names(call, op) ? 1 : 0;
    }
    return inside >= kLeastNamed && named * 100 >= inside * kPercentNamed;
  }

  /// A call that names none of the ops that begin then came before all of them.
  void put_before_ops(const TiedCall& tied) {
    const LinkedOps& ops = linked_.ops;
    const Ns begin = linked_.device.calls.start_ns[tied.call];
    LinkedOpIndex next, op = tied.end_op;
    for (std::size_t left = std::min(op - LinkedOpIndex(0), kMostTied); left > 0; --left) {
      op = op - 1;
      if (ops.lane[op] != linked_.calls.lane[tied.call] || ops.start_ns[op] != begin) break;
      if (names(tied.call, op)) break;
      if (is_recorded(op)) next = op;
    }
    if (!next) return;
    linked_.calls.next_op[tied.call] = next;
    linked_.calls.parent[tied.call] = ops.parent[next];
  }

 private:
  static constexpr std::size_t kLeastNamed = 20, kPercentNamed = 95;
  static constexpr std::uint32_t kMostTied = 16;  // ops of one stamp that are looked at

  /// A `cpu_op` of the device trace: calls name no other op that is around them.
  bool is_recorded(LinkedOpIndex op) const {
    return linked_.ops.is_annotation[op] == 0 && linked_.ops.profiler[op];
  }

  bool names(CallIndex call, LinkedOpIndex op) const {
    const ProfilerOpIndex profiler = linked_.ops.profiler[op];
    const std::uint64_t id = linked_.device.calls.external_id[call];
    return profiler && id != 0 && linked_.device.ops.external_id[profiler] == id;
  }

  LinkedTrace& linked_;
};

}  // namespace

void find_launching_ops(LinkedTrace& linked, const ByRow<DeviceRows, ProfilerOpIndex>& named) {
  const std::vector<TiedCall> tied = find_innermost(linked.ops, parent_queries(linked));
  if (TiedCalls calls(linked); !tied.empty() && calls.are_recorded())
    for (const TiedCall& call : tied) calls.put_before_ops(call);
  ByRow<ProfilerOps, LinkedOpIndex> of_profiler(linked.device.ops.size());
  for (const LinkedOpIndex op : rows_of(linked.ops))
    if (linked.ops.profiler[op]) of_profiler[linked.ops.profiler[op]] = op;
  for (const DeviceRowIndex row : rows_of(linked.rows)) {
    if (linked.rows.evidence[row] == LinkEvidence::kCorrelation)
      linked.rows.parent[row] = linked.calls.parent[linked.rows.launch[row]];
    else if (linked.rows.evidence[row] == LinkEvidence::kExternalId)
      linked.rows.parent[row] = of_profiler[named[row]];
  }
}

}  // namespace nadi
