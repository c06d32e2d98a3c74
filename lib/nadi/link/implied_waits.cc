#include "nadi/link/implied_waits.h"

#include <algorithm>
#include <set>

#include "nadi/base/key_index.h"
#include "nadi/link/waiting_launches.h"
#include "nadi/model/row_order.h"

namespace nadi {
namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// So many rows of a stream that wait for their turn may fill the queue of launches.
constexpr std::size_t kFullQueue = 1'000;

void add_copies(WaitList& waits, const LinkedTrace& linked, const CallEffects& effects) {
  for (const DeviceRowIndex row : rows_of(linked.rows)) {
    const CallIndex call = linked.rows.launch[row];
    if (linked.device.rows.kind[row] != DeviceRowKind::kMemcpy || !call) continue;
    const CallEffect effect = effects[call];
    if (effect != CallEffect::kCopyAndWait && effect != CallEffect::kCopyMayWait) continue;
    const std::string_view name = linked.strings[linked.device.rows.name[row]];
    const CopyWait wait = copy_waits(name, effect);
    if (wait == CopyWait::kGuess && !linked.hypotheses.has(Hypothesis::kUnknownCopyWaits)) continue;
    if (wait == CopyWait::kNo || linked.device.rows.start_ns[row] == kNoTime) continue;
    // Copies to the device may return while their last part is on its way.
    const bool is_certain = wait == CopyWait::kYes && contains(name, "DtoH");
    const Ns leeway = is_certain ? kClockLeeway : linked.clock_resolution_ns;
    if (row_end_ns(linked, row) > call_end_ns(linked.device.calls, call) + leeway) continue;
    const bool is_inferred = wait == CopyWait::kGuess;
    waits.add_row_wait(
        call, row, is_inferred ? info(Hypothesis::kUnknownCopyWaits).inferred : Inference::kNone);
  }
}

/// A copy from pageable memory to the device waits for its stream before it begins. That is seen
/// where the row before it on its lane ended inside the call; a guess, since small copies do not.
void add_copies_from_pageable(WaitList& waits, const LinkedTrace& linked) {
  constexpr auto kWhy = Hypothesis::kPageableCopyWaits;
  if (!linked.hypotheses.has(kWhy)) return;
  const RuntimeCalls& calls = linked.device.calls;
  for (const auto& lane : linked.rows_by_lane)
    for (std::size_t i = 1; i < lane.size(); ++i) {
      const CallIndex call = linked.rows.launch[lane[i]];
      if (linked.device.rows.kind[lane[i]] != DeviceRowKind::kMemcpy || !call ||
          calls.duration_ns[call] <= info(kWhy).evident_ns || waits.is_blocking(call) ||
          !contains(linked.strings[linked.device.rows.name[lane[i]]], "Pageable -> Device"))
        continue;
      const Ns before = row_end_ns(linked, lane[i - 1]);
      if (before <= calls.start_ns[call] || before > call_end_ns(calls, call)) continue;
      waits.add_row_wait(call, lane[i - 1], info(kWhy).inferred);
    }
}

void add_waiting_launches(WaitList& waits, const LinkedTrace& linked, Diagnostics& diagnostics) {
  const ByRow<RuntimeCalls, bool> launches = launches_that_wait(linked.device, linked.hypotheses);
  ByRow<RuntimeCalls, DeviceRowIndex> last_row(launches.size());
  for (const DeviceRowIndex row : rows_of(linked.rows)) {
    const CallIndex call = linked.rows.launch[row];
    if (!call || !launches[call]) continue;
    DeviceRowIndex& last = last_row[call];
    if (!last || row_end_ns(linked, row) > row_end_ns(linked, last)) last = row;
  }
  for (const CallIndex call : rows_of(last_row)) {
    if (!last_row[call] || waits.is_blocking(call) ||
        row_end_ns(linked, last_row[call]) > call_end_ns(linked.device.calls, call) + kClockLeeway)
      continue;
    waits.add_row_wait(call, last_row[call], info(Hypothesis::kLaunchesWait).inferred);
    diagnostics.report(Finding::kLaunchesWait, linked.strings[linked.device.calls.name[call]]);
  }
}

/// A launch call that finds a full queue waits for the oldest work in it. That is seen where so
/// much of its stream is pending as it begins, and the oldest of that ends inside the call.
void add_waits_for_full_queues(WaitList& waits, const LinkedTrace& linked,
                               Diagnostics& diagnostics) {
  constexpr auto kWhy = Hypothesis::kFullQueueWaits;
  if (!linked.hypotheses.has(kWhy)) return;
  const RuntimeCalls& calls = linked.device.calls;
  for (const auto& lane : linked.rows_by_lane)
    for (std::size_t i = kFullQueue; i < lane.size(); ++i) {
      const CallIndex call = linked.rows.launch[lane[i]];
      if (!call || linked.device.rows.kind[lane[i]] == DeviceRowKind::kMemcpy ||
          calls.duration_ns[call] <= info(kWhy).evident_ns || waits.is_blocking(call))
        continue;
      const Ns begin = calls.start_ns[call];
      const auto here = lane.begin() + static_cast<std::ptrdiff_t>(i);
      const auto oldest = std::partition_point(
          lane.begin(), here, [&](DeviceRowIndex row) { return row_end_ns(linked, row) <= begin; });
      if (here - oldest < static_cast<std::ptrdiff_t>(kFullQueue) ||
          row_end_ns(linked, *oldest) > call_end_ns(calls, call))
        continue;
      waits.add_row_wait(call, *oldest, info(kWhy).inferred);
      diagnostics.report(Finding::kFullQueueWaited, linked.strings[calls.name[call]]);
    }
}

}  // namespace

CopyWait copy_waits(std::string_view row_name, CallEffect effect) {
  if (effect == CallEffect::kCopyAndWait) return CopyWait::kYes;
  if (row_name == "Memcpy") return CopyWait::kGuess;  // of no known direction (P17)
  if (!contains(row_name, "DtoH")) return CopyWait::kNo;
  if (contains(row_name, "-> Pageable")) return CopyWait::kYes;
  return contains(row_name, "-> Pinned") ? CopyWait::kNo : CopyWait::kGuess;
}

void add_implied_waits(WaitList& waits, const LinkedTrace& linked, const StreamTimeline& timeline,
                       const CallEffects& effects, Diagnostics& diagnostics) {
  add_copies(waits, linked, effects);
  add_copies_from_pageable(waits, linked);
  add_waiting_launches(waits, linked, diagnostics);
  add_waits_for_full_queues(waits, linked, diagnostics);
  const RuntimeCalls& calls = linked.device.calls;
  const std::set<std::int64_t> devices(linked.device.rows.device.begin(),
                                       linked.device.rows.device.end());
  for (const CallIndex call :
       calls_in_time_order(calls, effects, {CallEffect::kSyncDevice, CallEffect::kAllocation})) {
    if (waits.is_blocking(call)) continue;  // a sync row records it
    const Ns end = timeline.all_done_ns(calls.start_ns[call]);
    StreamAction action;
    action.kind = StreamActionKind::kHostWaitDevice;
    if (effects[call] == CallEffect::kAllocation) {
      if (!linked.hypotheses.has(Hypothesis::kAllocationWaits) || end <= calls.start_ns[call] ||
          end > call_end_ns(calls, call))
        continue;
      action.inferred = info(Hypothesis::kAllocationWaits).inferred;
      diagnostics.report(Finding::kAllocationWaited, linked.strings[calls.name[call]]);
    } else {
      // Which device the thread had current is not recorded.
      if (devices.size() > 1) action.inferred = Inference::kPattern;
    }
    waits.add_host_wait(action, call);
  }
}

}  // namespace nadi
