#include "nadi/link/lost_sync_calls.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "nadi/link/api_order.h"

namespace nadi {
namespace {

/// When the last call or op of the host ended.
Ns host_end(const DeviceTrace& device) {
  Ns end = kNoTime;
  for (const CallIndex call : rows_of(device.calls))
    end = std::max(end, device.calls.start_ns[call] + device.calls.duration_ns[call]);
  for (const ProfilerOpIndex op : rows_of(device.ops))
    end = std::max(end, device.ops.start_ns[op] + device.ops.duration_ns[op]);
  return end;
}

/// Sync rows of a wait whose runtime row is lost. They stand between the calls around
/// them: a damaged row (K32) is of no use.
std::vector<SyncRowIndex> syncs_without_call(const DeviceTrace& device) {
  const SyncRows& syncs = device.syncs;
  std::vector<SyncRowIndex> rows;
  if (syncs.size() == 0) return rows;
  const ApiOrder api(device);
  const Ns end = host_end(device);
  const auto is_in_order = [&](SyncRowIndex row) {
    const Ns begin = syncs.start_ns[row];
    return api.begin_before(syncs.correlation[row]) <= begin &&
           begin <= api.begin_after(syncs.correlation[row]).value_or(end);
  };
  for (const SyncRowIndex row : rows_of(syncs)) {
    const bool is_wait =
        syncs.kind[row] == SyncKind::kStream || syncs.kind[row] == SyncKind::kContext;
    const bool is_stamped = syncs.start_ns[row] != kNoTime && syncs.correlation[row] >= 0;
    const bool is_lost = is_wait && is_stamped && !api.call_with(syncs.correlation[row]);
    if (is_lost && is_in_order(row)) rows.push_back(row);
  }
  return rows;
}

/// Finds the thread that waited.
class WaitingThreads {
 public:
  explicit WaitingThreads(const DeviceTrace& device)
      : device_(device), ops_(device.ops.external_id, 0), only_caller_(only_caller(device.calls)) {}

  ThreadIndex of(SyncRowIndex sync) const {
    const SyncRows& syncs = device_.syncs;
    const Ns begin = syncs.start_ns[sync], end = begin + syncs.duration_ns[sync];
    const std::uint64_t id = syncs.external_id[sync];
    const auto ops = ops_.rows(id);
    if (id == 0 || ops.empty()) return only_caller_;
    const ProfilerOpIndex op = ops.front().row;
    const Ns op_begin = device_.ops.start_ns[op];
    const bool is_around = op_begin <= begin && end <= op_begin + device_.ops.duration_ns[op];
    return is_around ? device_.ops.thread[op] : only_caller_;
  }

 private:
  static ThreadIndex only_caller(const RuntimeCalls& calls) {
    const bool is_one = std::adjacent_find(calls.thread.begin(), calls.thread.end(),
                                           std::not_equal_to<>()) == calls.thread.end();
    return is_one && calls.size() > 0 ? calls.thread.front() : ThreadIndex();
  }

  const DeviceTrace& device_;
  KeyIndex<ProfilerOps, std::uint64_t> ops_;
  ThreadIndex only_caller_;
};

}  // namespace

void restore_lost_sync_calls(DeviceTrace& device, StringTable& strings, Diagnostics& diagnostics) {
  const std::vector<SyncRowIndex> lost = syncs_without_call(device);
  if (lost.empty()) return;
  const WaitingThreads threads(device);
  const SyncRows& syncs = device.syncs;
  RuntimeCalls& calls = device.calls;
  for (const SyncRowIndex row : lost) {
    const ThreadIndex thread = threads.of(row);
    if (!thread) continue;
    append_row(calls);
    calls.name.back() = strings.intern(to_string(syncs.kind[row]));
    calls.start_ns.back() = syncs.start_ns[row];
    calls.duration_ns.back() = syncs.duration_ns[row];
    calls.thread.back() = thread;
    calls.correlation.back() = syncs.correlation[row];
    calls.external_id.back() = syncs.external_id[row];
    calls.order.back() = syncs.order[row];
    diagnostics.report(Finding::kWaitWithoutCall, to_string(syncs.kind[row]));
  }
}

}  // namespace nadi
