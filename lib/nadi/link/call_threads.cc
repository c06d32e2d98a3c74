#include "nadi/link/call_threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "nadi/base/key_index.h"
#include "nadi/base/sort_rows.h"

namespace nadi {
namespace {

/// Of a hundred calls at the most so many may contradict what the others show.
constexpr std::size_t kMostOthers = 5;
/// A thread with ops has so many calls that are not its own, at the least.
constexpr std::size_t kLeastCalls = 3;
/// Start and end are rounded, each by half a nanosecond at the most (N12).
constexpr Ns kResolution = 2;
/// More threads with an open op than so many leave a call ambiguous.
constexpr std::size_t kMostOpenThreads = 8;

template <class Table>
std::vector<Index<Table>> in_time_order(const Table& rows) {
  std::vector<Index<Table>> order(rows.size());
  std::iota(order.begin(), order.end(), Index<Table>(0));
  sort_rows(order, [&](Index<Table> a, Index<Table> b) {
    return rows.start_ns[a] != rows.start_ns[b] ? rows.start_ns[a] < rows.start_ns[b]
                                                : rows.duration_ns[a] > rows.duration_ns[b];
  });
  return order;
}

/// The ops that are open on each thread, as time goes on.
class OpenOps {
 public:
  explicit OpenOps(const DeviceTrace& device)
      : ops_(device.ops), threads_(device.threads.size()), next_of_thread_(ops_.size()) {
    ByRow<ProfilerThread, ProfilerOpIndex> last(device.threads.size());
    for (const ProfilerOpIndex op : in_time_order(ops_)) {
      if (ops_.kind[op] != ProfilerOpKind::kOp) continue;
      ProfilerOpIndex& before = last[ops_.thread[op]];
      if (before) next_of_thread_[before] = op;
      before = op;
      order_.push_back(op);
      threads_[ops_.thread[op]].has_ops = true;
    }
  }

  /// Times must not decrease.
  void go_to(Ns time) {
    for (; next_ < order_.size() && ops_.start_ns[order_[next_]] <= time; ++next_) {
      const ProfilerOpIndex op = order_[next_];
      Thread& thread = threads_[ops_.thread[op]];
      close(thread, ops_.start_ns[op]);
      thread.open.push_back(op);
      thread.last = op;
      if (!std::exchange(thread.is_listed, true)) listed_.push_back(ops_.thread[op]);
    }
    time_ = time;
  }

  bool has_ops(ThreadIndex thread) const { return threads_[thread].has_ops; }

  bool is_open(ThreadIndex thread) {
    close(threads_[thread], time_);
    return !threads_[thread].open.empty();
  }

  /// True if the innermost open op stays the innermost one until `end`, as exactly as stamps are.
  bool stays_until(ThreadIndex of, Ns end) const {
    const Thread& thread = threads_[of];
    const ProfilerOpIndex next = next_of_thread_[thread.last];
    return op_end_ns(ops_, thread.open.back()) >= end - kResolution &&
           (!next || ops_.start_ns[next] >= end - kResolution);
  }

  /// Threads with an open op; kMostOpenThreads + 1 of them where there are more.
  std::vector<ThreadIndex> open_threads() {
    std::vector<ThreadIndex> open;
    for (std::size_t i = 0; i < listed_.size() && open.size() <= kMostOpenThreads;) {
      if (is_open(listed_[i])) {
        open.push_back(listed_[i++]);
        continue;
      }
      threads_[listed_[i]].is_listed = false;
      listed_[i] = listed_.back();
      listed_.pop_back();
    }
    return open;
  }

 private:
  struct Thread {
    std::vector<ProfilerOpIndex> open;
    ProfilerOpIndex last;  ///< the op that began last
    bool has_ops = false, is_listed = false;
  };

  void close(Thread& thread, Ns time) const {
    while (!thread.open.empty() && op_end_ns(ops_, thread.open.back()) <= time)
      thread.open.pop_back();
  }

  const ProfilerOps& ops_;
  ByRow<ProfilerThread, Thread> threads_;
  ByRow<ProfilerOps, ProfilerOpIndex> next_of_thread_;
  std::vector<ProfilerOpIndex> order_;
  std::size_t next_ = 0;
  Ns time_ = kNoTime;
  std::vector<ThreadIndex> listed_;
};

/// Of the thread that the trace names.
void report_call(Finding kind, const DeviceTrace& device, CallIndex call,
                 Diagnostics& diagnostics) {
  diagnostics.report(kind, [&] {
    const ProfilerThread& thread = device.threads[device.calls.thread[call]];
    return fmt::format("{} of thread {}, correlation {}", device.strings[device.calls.name[call]],
                       device.strings[thread.tid], device.calls.correlation[call]);
  });
}

class CallThreads {
 public:
  CallThreads(DeviceTrace& device, Diagnostics& diagnostics)
      : device_(device),
        diagnostics_(diagnostics),
        order_(in_time_order(device.calls)),
        launched_(device.rows.correlation, -1),
        own_calls_(device.threads.size()),
        has_ops_(device.threads.size()) {}

  void repair() {
    const std::vector<CallIndex> outside = calls_outside_ops();
    if (outside.empty()) return;
    find_callers(outside);
    for (const Stray& stray : strays_) count(stray);
    for (auto& [key, group] : groups_) judge(group);
    for (const Stray& stray : strays_) repair(stray);
  }

 private:
  /// A call during which its thread has no op open.
  struct Stray {
    CallIndex call;
    std::size_t threads;  ///< so many others may have made it
    ThreadIndex first;    ///< one of them
  };
  /// The strays of one thread that launch, or that do not.
  struct Group {
    std::size_t calls = 0, of_nobody = 0, of_one = 0;
    std::map<ThreadIndex, std::size_t> of_thread;
    bool is_made_by_others = false;
    ThreadIndex only_caller;  ///< none = several
  };
  /// A call inside an op of its thread, and when that and all before it have ended.
  struct OwnCall {
    Ns begin, latest_end;
  };

  bool launches(CallIndex call) const {
    const std::int64_t correlation = device_.calls.correlation[call];
    return correlation >= 0 && !launched_.rows(correlation).empty();
  }

  std::vector<CallIndex> calls_outside_ops() {
    std::vector<CallIndex> outside;
    OpenOps ops(device_);
    for (const CallIndex call : order_) {
      const ThreadIndex thread = device_.calls.thread[call];
      ops.go_to(device_.calls.start_ns[call]);
      if (ops.is_open(thread) && ops.stays_until(thread, call_end_ns(device_.calls, call)))
        add_own(own_calls_[thread], call);
      else
        outside.push_back(call);
    }
    for (const ThreadIndex thread : rows_of(has_ops_)) has_ops_[thread] = ops.has_ops(thread);
    return outside;
  }

  void add_own(std::vector<OwnCall>& calls, CallIndex call) const {
    const Ns end = call_end_ns(device_.calls, call);
    calls.push_back({device_.calls.start_ns[call],
                     calls.empty() ? end : std::max(end, calls.back().latest_end)});
  }

  void find_callers(const std::vector<CallIndex>& outside) {
    OpenOps ops(device_);
    for (const CallIndex call : outside) {
      ops.go_to(device_.calls.start_ns[call]);
      const std::vector<ThreadIndex> open = ops.open_threads();
      Stray stray{call, open.size() > kMostOpenThreads ? open.size() : 0, {}};
      if (stray.threads == 0)
        for (const ThreadIndex thread : open) {
          if (!ops.stays_until(thread, call_end_ns(device_.calls, call)) ||
              is_calling(thread, call))
            continue;
          if (++stray.threads == 1) stray.first = thread;
        }
      strays_.push_back(stray);
    }
  }

  /// A call inside an op of the thread overlaps the call.
  bool is_calling(ThreadIndex thread, CallIndex call) const {
    const std::vector<OwnCall>& own = own_calls_[thread];
    const Ns begin = device_.calls.start_ns[call] + kResolution,
             end = call_end_ns(device_.calls, call) - kResolution;
    const auto after = std::partition_point(
        own.begin(), own.end(), [&](const OwnCall& other) { return other.begin < end; });
    return after != own.begin() && std::prev(after)->latest_end > begin;
  }

  std::pair<ThreadIndex, bool> key_of(CallIndex call) const {
    return {device_.calls.thread[call], launches(call)};
  }

  void count(const Stray& stray) {
    Group& group = groups_[key_of(stray.call)];
    ++group.calls;
    group.of_nobody += stray.threads == 0 ? 1 : 0;
    if (stray.threads != 1) return;
    ++group.of_one;
    ++group.of_thread[stray.first];
  }

  static bool are_few(std::size_t others, std::size_t all) {
    return others * 100 <= all * kMostOthers;
  }

  static void judge(Group& group) {
    group.is_made_by_others = are_few(group.of_nobody, group.calls);
    const auto most =
        std::max_element(group.of_thread.begin(), group.of_thread.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most != group.of_thread.end() && are_few(group.of_one - most->second, group.of_one))
      group.only_caller = most->first;
  }

  /// The strays of the thread, if others made them; null = none.
  const Group* strays_of_others(ThreadIndex thread, bool are_launches) const {
    const auto group = groups_.find({thread, are_launches});
    return group != groups_.end() && group->second.is_made_by_others ? &group->second : nullptr;
  }

  void repair(const Stray& stray) {
    ThreadIndex& thread = device_.calls.thread[stray.call];
    const bool is_launch = launches(stray.call), has_ops = has_ops_[thread];
    const Group* group = strays_of_others(thread, true);
    if (has_ops && !is_launch && (group == nullptr || group->of_one < kLeastCalls))
      group = strays_of_others(thread, false);
    if (group == nullptr) return;
    ThreadIndex caller;
    if (!has_ops)
      caller = group->only_caller;
    else if (stray.threads == 1 && group->calls >= kLeastCalls)
      caller = stray.first;
    if (caller) {
      report(Finding::kCallThreadRepaired, stray.call);
      thread = caller;
    } else if (is_launch && stray.threads > 0) {
      report(Finding::kCallThreadAmbiguous, stray.call);
    }
  }

  void report(Finding kind, CallIndex call) { report_call(kind, device_, call, diagnostics_); }

  DeviceTrace& device_;
  Diagnostics& diagnostics_;
  std::vector<CallIndex> order_;  // of calls, in time
  KeyIndex<DeviceRows, std::int64_t> launched_;
  ByRow<ProfilerThread, std::vector<OwnCall>> own_calls_;  // in time order
  ByRow<ProfilerThread, bool> has_ops_;
  std::vector<Stray> strays_;
  std::map<std::pair<ThreadIndex, bool>, Group> groups_;  // by thread and whether they launch
};

/// The thread of the one op that the call names and lies in; none = it names none so.
ThreadIndex named_thread(const DeviceTrace& device, const KeyIndex<ProfilerOps, std::uint64_t>& ops,
                         CallIndex call) {
  const RuntimeCalls& calls = device.calls;
  const auto named = ops.rows(calls.external_id[call]);
  if (named.size() != 1) return {};
  const ProfilerOpIndex op = named.front().row;
  const ThreadIndex thread = device.ops.thread[op];
  const bool is_inside = device.ops.start_ns[op] <= calls.start_ns[call] + kResolution &&
                         call_end_ns(calls, call) <= op_end_ns(device.ops, op) + kResolution &&
                         device.threads[thread].pid == device.threads[calls.thread[call]].pid;
  return is_inside ? thread : ThreadIndex();
}

void follow_named_ops(DeviceTrace& device, Diagnostics& diagnostics) {
  RuntimeCalls& calls = device.calls;
  const KeyIndex<ProfilerOps, std::uint64_t> ops(device.ops.external_id, 0);
  const RowRange all = rows_of(calls);
  const bool has_others = std::any_of(all.begin(), all.end(), [&](CallIndex call) {
    const ThreadIndex named = named_thread(device, ops, call);
    return named && named != calls.thread[call];
  });
  if (!has_others) return;
  const ByRow<RuntimeCalls, ThreadIndex> written = calls.thread;
  ByRow<ProfilerThread, ThreadIndex> owner(device.threads.size());
  for (const CallIndex call : in_time_order(calls)) {
    ThreadIndex& now = owner[written[call]];
    if (const ThreadIndex named = named_thread(device, ops, call)) now = named;
    if (!now || now == written[call]) continue;
    report_call(Finding::kCallThreadRepaired, device, call, diagnostics);
    calls.thread[call] = now;
  }
}

}  // namespace

void repair_call_threads(DeviceTrace& device, Diagnostics& diagnostics) {
  if (device.is_by_cuspy)
    CallThreads(device, diagnostics).repair();
  else
    follow_named_ops(device, diagnostics);
}

}  // namespace nadi
