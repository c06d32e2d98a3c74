#include "nadi/link/lost_sync_calls.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "nadi/base/key_index.h"
#include "nadi/link/api_order.h"
#include "nadi/link/implied_waits.h"

namespace nadi {
namespace {

/// When the last call or op of the host ended.
Ns host_end(const DeviceTrace& device) {
  Ns end = kNoTime;
  for (const CallIndex call : rows_of(device.calls))
    end = std::max(end, call_end_ns(device.calls, call));
  for (const ProfilerOpIndex op : rows_of(device.ops))
    end = std::max(end, op_end_ns(device.ops, op));
  return end;
}

/// Queries, which leave the same rows as waits for events, return sooner.
constexpr Ns kLongerThanQueries = 20'000;

/// Sync rows of a wait whose runtime row is lost. They stand between the calls around
/// them: a damaged row (K32) is of no use.
std::vector<SyncRowIndex> syncs_without_call(const DeviceTrace& device, const ApiOrder& api) {
  const SyncRows& syncs = device.syncs;
  std::vector<SyncRowIndex> rows;
  if (syncs.size() == 0) return rows;
  const Ns end = host_end(device);
  const auto is_in_order = [&](SyncRowIndex row) {
    const Ns begin = syncs.start_ns[row];
    return api.begin_before(syncs.correlation[row]) <= begin &&
           begin <= api.begin_after(syncs.correlation[row]).value_or(end);
  };
  for (const SyncRowIndex row : rows_of(syncs)) {
    const SyncKind kind = syncs.kind[row];
    const bool is_wait = kind == SyncKind::kStream || kind == SyncKind::kContext ||
                         (kind == SyncKind::kEvent && syncs.duration_ns[row] >= kLongerThanQueries);
    const bool is_stamped = syncs.start_ns[row] != kNoTime && syncs.correlation[row] >= 0;
    const bool is_lost = is_wait && is_stamped && !api.call_with(syncs.correlation[row]);
    if (is_lost && is_in_order(row)) rows.push_back(row);
  }
  return rows;
}

/// Finds ops by the `External id` of other rows.
class NamedOps {
 public:
  explicit NamedOps(const ProfilerOps& ops) : ops_(ops), by_id_(ops.external_id, 0) {}

  /// None where there is no such op, or it is not around that time.
  ProfilerOpIndex around(std::uint64_t id, Ns begin, Ns end) const {
    const auto ops = by_id_.rows(id);
    if (id == 0 || ops.empty()) return {};
    const ProfilerOpIndex op = ops.front().row;
    const bool is_around = ops_.start_ns[op] <= begin && end <= op_end_ns(ops_, op);
    return is_around ? op : ProfilerOpIndex();
  }

 private:
  const ProfilerOps& ops_;
  KeyIndex<ProfilerOps, std::uint64_t> by_id_;
};

struct RestoredCall {
  StringId name;
  ThreadIndex thread;
  Ns begin, end;
  std::int64_t correlation;
  std::uint64_t external_id;
  decltype(RuntimeCalls::order)::value_type order;  ///< of the row that is left
};

/// When ops and calls of each thread begin and end.
class ThreadMoments {
 public:
  explicit ThreadMoments(const DeviceTrace& device) : of_thread_(device.threads.size()) {
    const ProfilerOps& ops = device.ops;
    for (const ProfilerOpIndex op : rows_of(ops))
      add(ops.thread[op], ops.start_ns[op], ops.duration_ns[op], ops.name[op], false);
    const RuntimeCalls& calls = device.calls;
    for (const CallIndex call : rows_of(calls))
      add(calls.thread[call], calls.start_ns[call], calls.duration_ns[call], calls.name[call],
          true);
    for (auto& moments : of_thread_) std::sort(moments.begin(), moments.end());
  }

  struct Moment {
    Ns time;
    bool is_call_begin;
    StringId name;  ///< of the op or call
    auto operator<=>(const Moment&) const = default;
  };

  /// What began or ended last on the thread before the time; nothing where it was inside a call.
  std::optional<Moment> last_before(ThreadIndex thread, Ns time) const {
    const auto& moments = of_thread_[thread];
    const auto next = std::partition_point(moments.begin(), moments.end(),
                                           [=](const Moment& one) { return one.time < time; });
    if (next == moments.begin() || std::prev(next)->is_call_begin) return {};
    return *std::prev(next);
  }

 private:
  void add(ThreadIndex thread, Ns begin, Ns duration, StringId name, bool is_call) {
    of_thread_[thread].push_back({begin, is_call, name});
    of_thread_[thread].push_back({begin + duration, false, name});
  }

  ByRow<ProfilerThread, std::vector<Moment>> of_thread_;
};

/// Threads that alone could have made the calls of sync rows.
class OnlyCallers {
 public:
  OnlyCallers(const DeviceTrace& device, const ApiOrder& api, const StringTable& strings)
      : caller_(only(device.calls.thread)) {
    if (caller_) return;
    moments_.emplace(device);
    std::map<SyncKind, std::vector<ThreadIndex>> threads;
    for (const SyncRowIndex row : rows_of(device.syncs))
      if (const CallIndex call = api.call_with(device.syncs.correlation[row]))
        if (!is_query(call_effect(strings[device.calls.name[call]])))
          threads[device.syncs.kind[row]].push_back(device.calls.thread[call]);
    for (const auto& [kind, of_kind] : threads) of_kind_[kind] = only(of_kind);
  }

  /// The only thread that calls at all, else the only one whose calls wait so and leave rows of
  /// that kind, if it did nothing else meanwhile; none = there is no such thread.
  ThreadIndex of(SyncKind kind, Ns begin, Ns end) const {
    if (caller_) return caller_;
    const auto known = of_kind_.find(kind);
    if (known == of_kind_.end() || !known->second) return {};
    const auto last = moments_->last_before(known->second, end);
    return last && last->time <= begin ? known->second : ThreadIndex();
  }

 private:
  template <class Threads>
  static ThreadIndex only(const Threads& threads) {
    const bool is_one =
        std::adjacent_find(threads.begin(), threads.end(), std::not_equal_to<>()) == threads.end();
    return is_one && !threads.empty() ? threads.front() : ThreadIndex();
  }

  const ThreadIndex caller_;
  std::optional<ThreadMoments> moments_;  // where several threads call
  std::map<SyncKind, ThreadIndex> of_kind_;
};

std::vector<RestoredCall> calls_of_sync_rows(const DeviceTrace& device, const ApiOrder& api,
                                             StringTable& strings) {
  std::vector<RestoredCall> restored;
  std::vector<SyncRowIndex> lost = syncs_without_call(device, api);
  if (lost.empty()) return restored;
  const NamedOps ops(device.ops);
  const OnlyCallers callers(device, api, strings);
  const SyncRows& syncs = device.syncs;
  std::stable_sort(lost.begin(), lost.end(), [&](SyncRowIndex a, SyncRowIndex b) {
    return syncs.start_ns[a] < syncs.start_ns[b];
  });
  ByRow<ProfilerThread, Ns> restored_until(device.threads.size(), kNoTime);
  for (const SyncRowIndex row : lost) {
    const Ns begin = syncs.start_ns[row], end = begin + syncs.duration_ns[row];
    const ProfilerOpIndex op = ops.around(syncs.external_id[row], begin, end);
    const ThreadIndex thread = op ? device.ops.thread[op] : callers.of(syncs.kind[row], begin, end);
    if (!thread || begin < restored_until[thread]) continue;  // a thread waits for one at a time
    restored_until[thread] = end;
    restored.push_back({strings.intern(to_string(syncs.kind[row])), thread, begin, end,
                        syncs.correlation[row], syncs.external_id[row], syncs.order[row]});
  }
  return restored;
}

/// The calls restored so far, of each thread the last.
using LastRestored = std::map<ThreadIndex, RestoredCall>;

/// What other copies of one name in ops of one name say of the calls that are lost.
class CallsOfCopies {
 public:
  /// The first three must outlive it.
  CallsOfCopies(const DeviceTrace& device, const ApiOrder& api, const Hypotheses& hypotheses,
                const std::vector<DeviceRowIndex>& copies)
      : device_(device), api_(api), hypotheses_(hypotheses), ops_(device.ops), moments_(device) {
    for (const DeviceRowIndex copy : copies)
      if (const CallIndex call = api_.call_with(device.rows.correlation[copy])) see(copy, call);
  }

  /// Nothing where the call is known, or what else is known does not tell how it was made. To be
  /// asked in the order in which copies end.
  std::optional<RestoredCall> lost_call_of(DeviceRowIndex copy, const LastRestored& earlier) const {
    const DeviceRows& rows = device_.rows;
    const std::int64_t correlation = rows.correlation[copy];
    if (correlation < 0 || api_.call_with(correlation)) return {};
    const Ns start = rows.start_ns[copy], end = start + rows.duration_ns[copy];
    const ProfilerOpIndex op = ops_.around(rows.external_id[copy], start, end);
    if (!op) return {};
    const ThreadIndex thread = device_.ops.thread[op];
    auto before = moments_.last_before(thread, end);
    if (!before || before->time < device_.ops.start_ns[op]) return {};
    const auto last = earlier.find(thread);
    if (last != earlier.end() && last->second.end >= before->time)
      before = {last->second.end, false, last->second.name};
    const auto known = known_.find({rows.name[copy], device_.ops.name[op], before->name});
    if (known == known_.end() ||
        !hypotheses_.hold(Hypothesis::kLostCallBlocks, {known->second.count}))
      return {};
    const Ns begin =
        std::max(before->time + known->second.least_own_ns, api_.begin_before(correlation));
    if (begin > start || begin > api_.begin_after(correlation).value_or(begin)) return {};
    return RestoredCall{known->second.name,     thread,          begin, end, correlation,
                        rows.external_id[copy], rows.order[copy]};
  }

 private:
  /// Names of the copy, of the op, and of what began or ended in it right before the call.
  using Place = std::tuple<StringId, StringId, StringId>;
  struct Known {
    StringId name;
    std::size_t count = 0;
    Ns least_own_ns = 0;  ///< of the op right before the call
  };

  void see(DeviceRowIndex copy, CallIndex call) {
    const RuntimeCalls& calls = device_.calls;
    const Ns begin = calls.start_ns[call];
    const ProfilerOpIndex op =
        ops_.around(device_.rows.external_id[copy], begin, call_end_ns(calls, call));
    if (!op || device_.ops.thread[op] != calls.thread[call]) return;
    const auto before = moments_.last_before(calls.thread[call], begin);
    if (!before) return;
    const Ns own = begin - before->time;
    const auto [known, is_new] =
        known_.try_emplace({device_.rows.name[copy], device_.ops.name[op], before->name},
                           Known{calls.name[call], 0, own});
    ++known->second.count;
    known->second.least_own_ns = std::min(known->second.least_own_ns, own);
  }

  const DeviceTrace& device_;
  const ApiOrder& api_;
  const Hypotheses& hypotheses_;
  const NamedOps ops_;
  const ThreadMoments moments_;
  std::map<Place, Known> known_;
};

/// Copies to pageable memory, of which the call returns when the row is done (K20).
std::vector<DeviceRowIndex> blocking_copies(const DeviceTrace& device, const StringTable& strings) {
  const DeviceRows& rows = device.rows;
  std::vector<DeviceRowIndex> copies;
  for (const DeviceRowIndex row : rows_of(rows))
    if (rows.kind[row] == DeviceRowKind::kMemcpy && rows.start_ns[row] != kNoTime &&
        copy_waits(strings[rows.name[row]], CallEffect::kCopyMayWait) == CopyWait::kYes)
      copies.push_back(row);
  return copies;
}

std::vector<RestoredCall> calls_of_copies(const DeviceTrace& device, const ApiOrder& api,
                                          const StringTable& strings,
                                          const Hypotheses& hypotheses) {
  std::vector<RestoredCall> restored;
  std::vector<DeviceRowIndex> copies = blocking_copies(device, strings);
  const auto is_known = [&](DeviceRowIndex copy) {
    return bool(api.call_with(device.rows.correlation[copy]));
  };
  if (std::all_of(copies.begin(), copies.end(), is_known)) return restored;
  const CallsOfCopies known(device, api, hypotheses, copies);
  const auto end_of = [&](DeviceRowIndex row) {
    return device.rows.start_ns[row] + device.rows.duration_ns[row];
  };
  std::stable_sort(copies.begin(), copies.end(),
                   [&](DeviceRowIndex a, DeviceRowIndex b) { return end_of(a) < end_of(b); });
  LastRestored last;
  for (const DeviceRowIndex copy : copies)
    if (const auto call = known.lost_call_of(copy, last)) {
      restored.push_back(*call);
      last.insert_or_assign(call->thread, *call);
    }
  return restored;
}

}  // namespace

void restore_lost_sync_calls(DeviceTrace& device, StringTable& strings,
                             const Hypotheses& hypotheses, Diagnostics& diagnostics) {
  const ApiOrder api(device);
  std::vector<RestoredCall> restored = calls_of_sync_rows(device, api, strings);
  for (const RestoredCall& call : calls_of_copies(device, api, strings, hypotheses))
    restored.push_back(call);
  RuntimeCalls& calls = device.calls;
  for (const RestoredCall& call : restored) {
    append_row(calls);
    calls.name.back() = call.name;
    calls.start_ns.back() = call.begin;
    calls.duration_ns.back() = call.end - call.begin;
    calls.thread.back() = call.thread;
    calls.correlation.back() = call.correlation;
    calls.external_id.back() = call.external_id;
    calls.order.back() = call.order;
    diagnostics.report(Finding::kWaitWithoutCall, strings[call.name]);
  }
}

}  // namespace nadi
