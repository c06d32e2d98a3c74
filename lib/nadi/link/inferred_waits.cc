#include "nadi/link/inferred_waits.h"

#include <algorithm>

#include "nadi/base/key_index.h"
#include "nadi/link/event_queue.h"
#include "nadi/link/host_wait_timing.h"
#include "nadi/link/report_at.h"
#include "nadi/link/wait_patterns.h"
#include "nadi/model/row_order.h"

namespace nadi {
namespace {

/// Sync rows whose record is known have had their say, whether or not its stream was found (N27).
void close_waits_for_known_records(WaitList& waits, const LinkedTrace& linked,
                                   const RecordsOfWaits& records, const StreamCalls& calls) {
  const SyncRows& syncs = linked.device.syncs;
  auto of_named = syncs.correlation;
  for (const SyncRowIndex row : rows_of(syncs))
    if (records.correlation[row] < 0 && !records.is_idle[row]) of_named[row] = -1;
  const KeyIndex rows(of_named, -1);
  for (const StreamCall& call : calls.calls)
    if (call.effect == CallEffect::kStreamWaitEvent &&
        !rows.rows(linked.device.calls.correlation[call.call]).empty())
      waits.close(call.call);
}

bool has_waits_of_streams(const SyncRows& syncs) {
  return std::find(syncs.kind.begin(), syncs.kind.end(), SyncKind::kStreamWaitEvent) !=
         syncs.kind.end();
}

/// Where sync rows record the waits of streams, libkineto leaves out those of streams that never
/// ran anything; where one stream alone has rows, none of them matters.
void report_open(const WaitList& waits, const LinkedTrace& linked, const StreamCalls& calls,
                 Diagnostics& diagnostics) {
  const bool counts_stream_waits =
      !has_waits_of_streams(linked.device.syncs) && calls.timeline.streams.size() > 1;
  // Queries that are no wait stand in loops, too: an allocator asks for one event after the other.
  const auto is_unresolved = [&](const StreamCall& call) {
    return waits.is_open(call.call) && !call.is_loop() &&
           (call.effect != CallEffect::kStreamWaitEvent || counts_stream_waits);
  };
  for (const StreamCallIndex index : calls.in_time_order(is_unresolved)) {
    const StreamCall& call = calls.calls[index];
    report_at(diagnostics, Finding::kSyncUnresolved, linked,
              linked.strings[linked.device.calls.name[call.call]], calls.begin_ns(call),
              linked.device.calls.correlation[call.call]);
  }
}

/// Appends the record of an event behind what is waited for; a copy of it that refers to it.
StreamAction recorded(WaitList& waits, const WaitSource& source, Inference inference) {
  StreamAction record;
  record.kind = StreamActionKind::kEventRecord;
  record.inferred = inference;
  record.call = source.call;
  record.time_ns = source.time_ns;
  record.correlation = source.correlation;
  record.lane = source.lane;
  record.record = waits.add(record);
  return record;
}

}  // namespace

void open_unknown_waits(WaitList& waits, const StreamCalls& calls) {
  ByRow<StreamCall, bool> is_recorded(calls.calls.size(), false);
  for (const StreamAction& action : waits.actions())
    if (action.kind == StreamActionKind::kStreamWaitEvent)
      if (const StreamCallIndex call = calls.of(action.call)) is_recorded[call] = true;
  for (const StreamCallIndex index : rows_of(calls.calls)) {
    const StreamCall& call = calls.calls[index];
    const bool is_of_stream = call.effect == CallEffect::kStreamWaitEvent && !is_recorded[index] &&
                              !call.is_of_idle_stream && !waits.is_settled(call.call);
    if (is_of_stream || (is_wait_of_host(call) && !waits.is_blocking(call.call)))
      waits.open(call.call);
  }
}

bool records_stream_waits(const LinkedTrace& linked) {
  const SyncRows& syncs = linked.device.syncs;
  bool names_streams = false, has_waits = false;
  for (const SyncRowIndex row : rows_of(syncs)) {
    if (syncs.kind[row] != SyncKind::kStreamWaitEvent) continue;
    has_waits = true;
    if (syncs.wait_on_record[row] >= 0 && syncs.wait_on_stream[row] < 0) return false;
    names_streams |= syncs.wait_on_stream[row] >= 0;
  }
  return has_waits && (names_streams || linked.device.event_records.size() > 0);
}

WaitSource given_by(const LinkedTrace& linked, LaneIndex lane, CallIndex call) {
  const RuntimeCalls& calls = linked.device.calls;
  return {lane, call, calls.start_ns[call], calls.correlation[call]};
}

WaitSource given_with_row(const LinkedTrace& linked, DeviceRowIndex row) {
  return {linked.rows.lane[row], linked.rows.launch[row], enqueue_ns(linked, row),
          linked.device.rows.correlation[row]};
}

bool may_wait_for(const LinkedTrace& linked, DeviceRowIndex source, DeviceRowIndex target) {
  if (!source || !target) return true;
  return row_end_ns(linked, source) <= row_start_ns(linked, target) + linked.clock_resolution_ns;
}

bool was_launched_before_end(const LinkedTrace& linked, DeviceRowIndex source,
                             DeviceRowIndex target) {
  constexpr Ns kLaunchTakes = 8'000;
  return enqueue_ns(linked, target) + kLaunchTakes <= row_end_ns(linked, source);
}

void add_stream_wait(WaitList& waits, const LinkedTrace& linked, CallIndex call, LaneIndex waiting,
                     const WaitSource& source, Inference inference) {
  StreamAction wait = recorded(waits, source, inference);
  wait.kind = StreamActionKind::kStreamWaitEvent;
  wait.call = call;
  wait.time_ns = linked.device.calls.start_ns[call];
  wait.correlation = linked.device.calls.correlation[call];
  wait.lane = waiting;
  waits.add(wait);
}

void add_stream_sync(WaitList& waits, CallIndex call, LaneIndex lane, Inference inference) {
  StreamAction wait;
  wait.kind = StreamActionKind::kHostWaitStream;
  wait.lane = lane;
  wait.inferred = inference;
  waits.add_host_wait(wait, call);
}

void add_event_wait(WaitList& waits, CallIndex call, const WaitSource& source,
                    Inference inference) {
  StreamAction wait = recorded(waits, source, inference);
  wait.kind = StreamActionKind::kHostWaitEvent;
  waits.add_host_wait(wait, call);
}

void infer_waits(WaitList& waits, const LinkedTrace& linked, const StreamCalls& calls,
                 Diagnostics& diagnostics) {
  const CallDecisions decisions = infer_stream_waits(waits, linked, calls);
  infer_queued_event_waits(waits, linked, calls, decisions);
  infer_timed_host_waits(waits, linked, calls, diagnostics);
}

void add_inferred_waits(WaitList& waits, const LinkedTrace& linked, const StreamCalls& calls,
                        const RecordsOfWaits& records, Diagnostics& diagnostics) {
  open_unknown_waits(waits, calls);
  close_waits_for_known_records(waits, linked, records, calls);
  infer_waits(waits, linked, calls, diagnostics);
  report_open(waits, linked, calls, diagnostics);
  // A call that blocks is a node even where nobody knows for what: all of it is work then.
  for (const StreamCall& call : calls.calls)
    if (call.effect == CallEffect::kSyncStream || call.effect == CallEffect::kSyncEvent)
      waits.mark_blocking(call.call);
}

}  // namespace nadi
