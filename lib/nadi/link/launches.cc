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

#include "nadi/link/api_order.h"
#include "nadi/link/key_index.h"
#include "nadi/link/report_at.h"
#include "nadi/model/row_order.h"

namespace nadi {
namespace {

/// Finds ops by the `External id` of rows (K12), which is evidence only if it is no copy of the
/// correlation.
class OpsByExternalId {
 public:
  OpsByExternalId(const DeviceTrace& device, const KeyIndex<std::int64_t>& calls)
      : device_(device),
        ops_(device.ops.external_id, 0),
        is_proven_(names_launching_ops(calls)),
        launching_(device.rows.size(), kNoIndex) {
    find_launching();
  }

  /// The op that launched the row: open when the row starts or, where other rows prove that their
  /// id names the op around their call, the last one that began before. kNoIndex = none.
  std::uint32_t launching(std::size_t row) const { return launching_[row]; }

 private:
  /// The ops of one id that have begun.
  struct Begun {
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> open;
    std::uint32_t last = kNoIndex;  ///< the first in the file of those that began last
  };

  /// One walk through the times of ops and rows.
  void find_launching() {
    std::map<std::uint64_t, Begun> begun;
    std::vector<std::uint32_t> ops;
    for (const auto& entry : ops_.entries()) ops.push_back(entry.row);
    sort_by_time(ops, device_.ops.start_ns);
    auto next = ops.begin();
    for (const std::uint32_t row : rows_that_name_ops()) {
      const Ns start = device_.rows.start_ns[row];
      for (; next != ops.end() && device_.ops.start_ns[*next] <= start; ++next) {
        Begun& of_id = begun[device_.ops.external_id[*next]];
        of_id.open.push(*next);
        if (of_id.last == kNoIndex ||
            device_.ops.start_ns[of_id.last] < device_.ops.start_ns[*next])
          of_id.last = *next;
      }
      const auto found = begun.find(device_.rows.external_id[row]);
      if (found == begun.end()) continue;
      auto& [open, last] = found->second;
      while (!open.empty() && end_of(open.top()) <= start) open.pop();
      launching_[row] = !open.empty() ? open.top() : is_proven_ ? last : kNoIndex;
    }
  }

  static void sort_by_time(std::vector<std::uint32_t>& rows, const std::vector<Ns>& times) {
    std::sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
      return times[a] != times[b] ? times[a] < times[b] : a < b;
    });
  }

  /// In time order.
  std::vector<std::uint32_t> rows_that_name_ops() const {
    const DeviceRows& rows = device_.rows;
    std::vector<std::uint32_t> named;
    for (std::uint32_t row = 0; row < rows.size(); ++row)
      if (rows.external_id[row] != 0 && rows.start_ns[row] != kNoTime &&
          rows.external_id[row] != static_cast<std::uint64_t>(rows.correlation[row]))
        named.push_back(row);
    sort_by_time(named, rows.start_ns);
    return named;
  }

  Ns end_of(std::uint32_t op) const {
    return device_.ops.start_ns[op] + device_.ops.duration_ns[op];
  }

  /// Nearly all rows whose call is in the trace carry the id of an op that was open at the call.
  bool names_launching_ops(const KeyIndex<std::int64_t>& calls) const {
    constexpr std::size_t kLeastRows = 20, kPercent = 95;
    const DeviceRows& rows = device_.rows;
    std::size_t known = 0, named = 0;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const auto call = calls.rows(rows.correlation[row]);
      if (rows.correlation[row] < 0 || call.empty() || rows.external_id[row] == 0) continue;
      ++known;
      const Ns begin = device_.calls.start_ns[call.front().row];
      const auto ops = ops_.rows(rows.external_id[row]);
      if (ops.empty()) continue;
      const std::uint32_t op = ops.front().row;
      const bool is_around = device_.ops.start_ns[op] <= begin && begin < end_of(op) &&
                             device_.ops.thread[op] == device_.calls.thread[call.front().row];
      named += is_around ? 1 : 0;
    }
    return known >= kLeastRows && named * 100 >= known * kPercent;
  }

  const DeviceTrace& device_;
  KeyIndex<std::uint64_t> ops_;
  bool is_proven_;
  std::vector<std::uint32_t> launching_;  // by row
};

/// Finds the call of a row by correlation.
class CallsByCorrelation {
 public:
  explicit CallsByCorrelation(const RuntimeCalls& calls) : calls_(calls) {
    by_begin_.reserve(calls.size());
    for (std::uint32_t call = 0; call < calls.size(); ++call)
      if (calls.correlation[call] >= 0)
        by_begin_.push_back({calls.correlation[call], calls.start_ns[call], call});
    std::sort(by_begin_.begin(), by_begin_.end());
  }

  /// Of several calls with one correlation (K11) the last that began by the time, if the first in
  /// the file did, else that one.
  CallIndex call_of(std::int64_t correlation, Ns time, const KeyIndex<std::int64_t>& calls) const {
    const auto same = calls.rows(correlation);
    if (correlation < 0 || same.empty()) return {};
    const std::uint32_t first = same.front().row;
    if (same.size() == 1 || calls_.start_ns[first] > time) return CallIndex(first);
    const auto after =
        std::lower_bound(by_begin_.begin(), by_begin_.end(), Entry{correlation, time, kNoIndex});
    const Ns begin = std::prev(after)->begin_ns;
    return CallIndex(
        std::lower_bound(by_begin_.begin(), after, Entry{correlation, begin, 0})->call);
  }

 private:
  struct Entry {
    std::int64_t correlation;
    Ns begin_ns;
    std::uint32_t call;
    auto operator<=>(const Entry&) const = default;
  };

  const RuntimeCalls& calls_;
  std::vector<Entry> by_begin_;
};

/// Launch flows (K14): the start that belongs to a row, by the finish that stands where the row
/// begins, else by id = correlation.
class LaunchFlows {
 public:
  explicit LaunchFlows(const DeviceTrace& device)
      : device_(device),
        starts_(start_ids(device.flows), -1),
        finishes_(finishes(device, starts_), kNowhere) {}

  /// Row of the flow table; kNoIndex = none.
  std::uint32_t start_of(std::size_t row) const {
    const auto finish = finishes_.rows({device_.rows.start_ns[row], device_.rows.stream[row]});
    if (!finish.empty()) return starts_.rows(device_.flows.id[finish.front().row]).front().row;
    const std::int64_t correlation = device_.rows.correlation[row];
    const auto found = starts_.rows(correlation);
    return correlation < 0 || found.empty() ? kNoIndex : found.front().row;
  }

 private:
  /// A time on a lane.
  using Place = std::pair<Ns, std::int64_t>;
  static constexpr Place kNowhere{kNoTime, -1};

  static std::vector<std::int64_t> start_ids(const Flows& flows) {
    std::vector<std::int64_t> result(flows.size(), -1);
    for (std::size_t row = 0; row < flows.size(); ++row)
      if (flows.kind[row] == FlowKind::kLaunch && flows.is_finish[row] == 0)
        result[row] = flows.id[row];
    return result;
  }
  /// By flow: where it finishes, if there is a start that belongs to it.
  static std::vector<Place> finishes(const DeviceTrace& device,
                                     const KeyIndex<std::int64_t>& starts) {
    const Flows& flows = device.flows;
    std::vector<Place> result(flows.size(), kNowhere);
    for (std::size_t row = 0; row < flows.size(); ++row)
      if (flows.kind[row] == FlowKind::kLaunch && flows.is_finish[row] != 0 &&
          !starts.rows(flows.id[row]).empty())
        result[row] = {flows.time_ns[row], device.threads[flows.thread[row]].number};
    return result;
  }

  const DeviceTrace& device_;
  KeyIndex<std::int64_t> starts_;
  KeyIndex<Place> finishes_;
};

/// Rows whose call is lost were launched after the call before it, if correlation ids tell.
void set_launched_after(LinkedTrace& linked, const ApiOrder& api) {
  LinkedRows& rows = linked.rows;
  if (!api.is_by_correlation()) return;
  for (std::size_t row = 0; row < rows.lane.size(); ++row) {
    const std::int64_t correlation = linked.device.rows.correlation[row];
    if (rows.launch_ns[row] != kNoTime || correlation < 0) continue;
    const Ns before = api.begin_before(correlation);
    if (before <= row_start_ns(linked, row)) rows.launched_after_ns[row] = before;
  }
}

/// The latest time at which a row whose launch is unknown can have been enqueued.
Ns latest_enqueue_ns(const LinkedTrace& linked, std::size_t row, ProfilerOpIndex op) {
  const Ns start = row_start_ns(linked, row);
  if (!op) return start;
  const ProfilerOps& ops = linked.device.ops;
  return std::min(start, ops.start_ns[op] + ops.duration_ns[op]);
}

/// Places rows without a known launch in API order: by correlation, else between the rows around
/// them on their lane.
void set_enqueue_times(LinkedTrace& linked, const ApiOrder& api,
                       const std::vector<ProfilerOpIndex>& named) {
  LinkedRows& rows = linked.rows;
  rows.enqueue_ns = rows.launch_ns;
  const bool all_known =
      std::find(rows.launch_ns.begin(), rows.launch_ns.end(), kNoTime) == rows.launch_ns.end();
  if (all_known) return order_rows(linked);  // nearly every trace
  set_launched_after(linked, api);
  for (std::size_t row = 0; row < rows.lane.size(); ++row) {
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

void set_launch(LinkedRows& rows, std::size_t row, LinkEvidence evidence, CallIndex call, Ns time,
                LaneIndex lane) {
  rows.evidence[row] = evidence;
  rows.launch[row] = call;
  rows.launch_ns[row] = time;
  rows.launch_lane[row] = lane;
}

}  // namespace

std::vector<ProfilerOpIndex> link_device_rows(LinkedTrace& linked, LaneTable& lanes,
                                              Diagnostics& diagnostics) {
  const DeviceTrace& device = linked.device;
  const std::size_t count = device.rows.size();
  const ApiOrder api(device);
  const CallsByCorrelation calls(device.calls);
  const LaunchFlows flows(device);
  std::optional<OpsByExternalId> ops;  // few traces need them
  LinkedRows& rows = linked.rows;
  append_rows(rows, count);
  std::vector<ProfilerOpIndex> named(count);
  for (std::size_t row = 0; row < count; ++row) {
    rows.lane[row] =
        lanes.stream_lane(linked.lanes, device.rows.device[row], device.rows.stream[row]);
    const std::int64_t correlation = device.rows.correlation[row];
    if (const CallIndex call = calls.call_of(correlation, device.rows.start_ns[row], api.calls())) {
      set_launch(rows, row, LinkEvidence::kCorrelation, call, device.calls.start_ns[call],
                 lanes.of_thread[device.calls.thread[call].value]);
      linked.calls.role[call] = CallRole::kLaunches;
      continue;
    }
    if (const std::uint32_t flow = flows.start_of(row); flow != kNoIndex) {
      const LaneIndex lane = lanes.of_thread[device.flows.thread[flow].value];
      if (lane && device.flows.time_ns[flow] <= device.rows.start_ns[row]) {
        set_launch(rows, row, LinkEvidence::kFlow, {}, device.flows.time_ns[flow], lane);
        continue;
      }
    }
    if (!ops) ops.emplace(device, api.calls());
    if (const std::uint32_t op = ops->launching(row); op != kNoIndex) {
      set_launch(rows, row, LinkEvidence::kExternalId, {}, kNoTime,
                 lanes.of_thread[device.ops.thread[op].value]);
      named[row] = ProfilerOpIndex(op);
      continue;
    }
    report_at(diagnostics, "unlaunched-rows", linked, linked.strings[device.rows.name[row]],
              device.rows.start_ns[row], correlation);
  }
  set_enqueue_times(linked, api, named);
  return named;
}

namespace {

/// A time on a host lane whose innermost op is wanted.
struct ParentQuery {
  std::uint32_t lane;
  std::uint32_t call;  ///< kNoIndex = a flow's start
  Ns time_ns;
  LinkedOpIndex* parent;
};

/// A call that begins with an op, as stamps say; `end_op`: behind the last op that begins then.
struct TiedCall {
  std::uint32_t call, end_op;
};

std::vector<ParentQuery> parent_queries(LinkedTrace& linked) {
  std::vector<ParentQuery> result;
  result.reserve(linked.calls.role.size());
  for (std::size_t call = 0; call < linked.calls.role.size(); ++call)
    result.push_back({linked.calls.lane[call].value, static_cast<std::uint32_t>(call),
                      linked.device.calls.start_ns[call], &linked.calls.parent[call]});
  for (std::size_t row = 0; row < linked.rows.launch.size(); ++row)
    if (linked.rows.evidence[row] == LinkEvidence::kFlow)
      result.push_back({linked.rows.launch_lane[row].value, kNoIndex, linked.rows.launch_ns[row],
                        &linked.rows.parent[row]});
  std::sort(result.begin(), result.end(), [](const ParentQuery& a, const ParentQuery& b) {
    return a.lane != b.lane ? a.lane < b.lane : a.time_ns < b.time_ns;
  });
  return result;
}

/// Walks ops and queries of all lanes in step; both are sorted by lane, then time.
std::vector<TiedCall> find_innermost(const LinkedOps& ops, const std::vector<ParentQuery>& wanted) {
  std::vector<TiedCall> tied;
  std::vector<std::uint32_t> open;
  std::uint32_t next = 0;
  for (const ParentQuery& query : wanted) {
    const auto is_before = [&](std::uint32_t op) {
      return ops.lane[op].value != query.lane ? ops.lane[op].value < query.lane
                                              : ops.start_ns[op] <= query.time_ns;
    };
    const auto is_over = [&](std::uint32_t op, std::uint32_t lane, Ns time) {
      return ops.lane[op].value != lane || ops.start_ns[op] + ops.duration_ns[op] <= time;
    };
    for (; next < ops.size() && is_before(next); ++next) {
      while (!open.empty() && is_over(open.back(), ops.lane[next].value, ops.start_ns[next]))
        open.pop_back();
      open.push_back(next);
    }
    while (!open.empty() && is_over(open.back(), query.lane, query.time_ns)) open.pop_back();
    *query.parent = open.empty() ? LinkedOpIndex() : LinkedOpIndex(open.back());
    const bool is_tied = query.call != kNoIndex && next > 0 &&
                         ops.lane[next - 1].value == query.lane &&
                         ops.start_ns[next - 1] == query.time_ns;
    if (is_tied) tied.push_back({query.call, next});
  }
  return tied;
}

/// Tells by the `External id` of calls (K12) which ops began before and which after a call that has
/// the same stamp.
class TiedCalls {
 public:
  explicit TiedCalls(LinkedTrace& linked) : linked_(linked) {}

  /// Nearly all calls inside an op, if they are a few, carry its id: then one that does not is none
  /// of its calls.
  bool are_recorded() const {
    const LinkedCalls& calls = linked_.calls;
    std::size_t inside = 0, named = 0;
    for (std::uint32_t call = 0; call < calls.parent.size(); ++call) {
      const LinkedOpIndex op = calls.parent[call];
      if (!op || !is_recorded(op)) continue;
      if (linked_.ops.start_ns[op] == linked_.device.calls.start_ns[call]) continue;
      ++inside;
      named += names(call, op) ? 1 : 0;
    }
    return inside >= kLeastNamed && named * 100 >= inside * kPercentNamed;
  }

  /// A call that names none of the ops that begin then came before all of them.
  void place(const TiedCall& tied) {
    const LinkedOps& ops = linked_.ops;
    const Ns begin = linked_.device.calls.start_ns[tied.call];
    const std::uint32_t first = tied.end_op - std::min(tied.end_op, kMostTied);
    LinkedOpIndex next;
    for (LinkedOpIndex op(tied.end_op); op.value-- > first;) {
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

  bool names(std::uint32_t call, LinkedOpIndex op) const {
    const ProfilerOpIndex profiler = linked_.ops.profiler[op];
    const std::uint64_t id = linked_.device.calls.external_id[call];
    return profiler && id != 0 && linked_.device.ops.external_id[profiler] == id;
  }

  LinkedTrace& linked_;
};

}  // namespace

void find_launching_ops(LinkedTrace& linked, const std::vector<ProfilerOpIndex>& named) {
  const std::vector<TiedCall> tied = find_innermost(linked.ops, parent_queries(linked));
  if (TiedCalls calls(linked); !tied.empty() && calls.are_recorded())
    for (const TiedCall& call : tied) calls.place(call);
  ByRow<ProfilerOps, LinkedOpIndex> of_profiler(linked.device.ops.size());
  for (std::uint32_t op = 0; op < linked.ops.size(); ++op)
    if (linked.ops.profiler[op]) of_profiler[linked.ops.profiler[op]] = LinkedOpIndex(op);
  for (std::size_t row = 0; row < linked.rows.launch.size(); ++row) {
    if (linked.rows.evidence[row] == LinkEvidence::kCorrelation)
      linked.rows.parent[row] = linked.calls.parent[linked.rows.launch[row]];
    else if (linked.rows.evidence[row] == LinkEvidence::kExternalId)
      linked.rows.parent[row] = of_profiler[named[row]];
  }
}

}  // namespace nadi
