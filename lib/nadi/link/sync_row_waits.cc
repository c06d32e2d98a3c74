#include <algorithm>
#include <map>

#include "nadi/base/id_map.h"
#include "nadi/link/api_order.h"
#include "nadi/link/report_at.h"
#include "nadi/link/waits.h"

namespace nadi {
namespace {

/// Resolves sync rows against calls and event records.
class SyncRowWaits {
 public:
  SyncRowWaits(WaitList& waits, const LinkedTrace& linked, LaneTable& lane_table,
               const std::vector<CallKind>& kinds, Diagnostics& diagnostics)
      : waits_(waits),
        linked_(linked),
        lane_table_(lane_table),
        lanes_(linked.lanes),
        kinds_(kinds),
        diagnostics_(diagnostics),
        api_(linked.device),
        record_calls_(calls_in_time_order(linked.device.calls, kinds, {CallKind::kEventRecord})) {
    const EventRecords& records = linked.device.event_records;
    for (std::uint32_t row = 0; row < records.size(); ++row)
      records_of_event_[{records.context[row], records.event[row]}][records.correlation[row]] = row;
  }

  /// False where the sync row names no work that could be found.
  bool add(std::size_t row) {
    const SyncRows& syncs = linked_.device.syncs;
    StreamAction action;
    action.correlation = syncs.correlation[row];
    action.call = api_.call_with(action.correlation);
    action.time_ns = action.call ? linked_.device.calls.start_ns[action.call] : syncs.start_ns[row];
    if (action.call && kinds_[action.call.value] == CallKind::kQuery) return true;
    action.device = syncs.device[row];
    switch (syncs.kind[row]) {
      case SyncKind::kContext:
        action.kind = StreamActionKind::kHostWaitDevice;
        break;
      case SyncKind::kStream:
        action.kind = StreamActionKind::kHostWaitStream;
        if (syncs.stream[row] < 0)
          action.kind = StreamActionKind::kHostWaitDevice;
        else
          action.lane = stream_lane(syncs.device[row], syncs.stream[row]);
        break;
      case SyncKind::kEvent:
        action.kind = StreamActionKind::kHostWaitEvent;
        action.record = record_of(row);
        if (!action.record) return false;
        break;
      case SyncKind::kStreamWaitEvent:
        if (syncs.stream[row] < 0) return false;
        action.kind = StreamActionKind::kStreamWaitEvent;
        action.lane = stream_lane(syncs.device[row], syncs.stream[row]);
        action.record = record_of(row);
        if (!action.record) action.record = infer_record_of(row, action);
        if (!action.record) return false;
        break;
    }
    if (action.kind == StreamActionKind::kStreamWaitEvent)
      waits_.add(action);
    else if (action.call)
      waits_.add_host_wait(action, action.call);
    else
      return false;  // nobody is known to have waited
    return true;
  }

  ByRow<Lane> take_lanes() && { return std::move(lanes_); }

 private:
  LaneIndex stream_lane(std::int64_t device, std::int64_t stream) {
    return lane_table_.stream_lane(lanes_, device, stream);
  }

  /// The kEventRecord action the sync row refers to, added on first use; none = unresolved.
  StreamActionIndex record_of(std::size_t row) {
    const SyncRows& syncs = linked_.device.syncs;
    if (syncs.wait_on_record[row] >= 0 && syncs.wait_on_stream[row] >= 0)
      return add_record(syncs.wait_on_record[row], syncs.device[row], syncs.wait_on_stream[row]);
    const auto event = records_of_event_.find({syncs.context[row], syncs.wait_on_event[row]});
    if (syncs.wait_on_event[row] < 0 || event == records_of_event_.end()) return {};
    const auto after = event->second.lower_bound(syncs.correlation[row]);
    if (after == event->second.begin()) return {};
    const std::uint32_t record = std::prev(after)->second;
    const EventRecords& records = linked_.device.event_records;
    const std::int64_t device =
        records.device[record] >= 0 ? records.device[record] : syncs.device[row];
    return add_record(records.correlation[record], device, records.stream[record]);
  }

  /// Of a stream's wait that names the stream it waits for and no record (K17): all work that this
  /// stream had been given by the last record before the wait, of whatever event, or by the wait
  /// where the trace has no records (K26). None = it names no stream.
  StreamActionIndex infer_record_of(std::size_t row, const StreamAction& wait) {
    const SyncRows& syncs = linked_.device.syncs;
    if (syncs.wait_on_stream[row] < 0) return {};
    StreamAction record = wait;
    record.kind = StreamActionKind::kEventRecord;
    record.inferred = Inference::kPattern;
    if (const CallIndex call = last_record_before(wait.time_ns)) {
      record.call = call;
      record.time_ns = linked_.device.calls.start_ns[call];
      record.correlation = linked_.device.calls.correlation[call];
    }
    record.lane = stream_lane(syncs.device[row], syncs.wait_on_stream[row]);
    report_at(diagnostics_, "wait-without-record", linked_, to_string(syncs.kind[row]),
              syncs.start_ns[row], syncs.correlation[row]);
    return waits_.add(record);
  }

  CallIndex last_record_before(Ns time) const {
    const auto after = std::partition_point(
        record_calls_.begin(), record_calls_.end(),
        [&](std::uint32_t call) { return linked_.device.calls.start_ns[call] < time; });
    return after == record_calls_.begin() ? CallIndex() : CallIndex(*std::prev(after));
  }

  StreamActionIndex add_record(std::int64_t correlation, std::int64_t device, std::int64_t stream) {
    auto [known, is_new] =
        action_of_record_.try_emplace(correlation, StreamActionIndex(waits_.actions().size()));
    if (!is_new) return known->second;
    StreamAction record;
    record.kind = StreamActionKind::kEventRecord;
    record.correlation = correlation;
    record.call = api_.call_with(correlation);
    // A record whose own call is lost stands where the call before it (by correlation) stands.
    record.time_ns =
        record.call ? linked_.device.calls.start_ns[record.call] : api_.begin_before(correlation);
    record.device = device;
    record.lane = stream_lane(device, stream);
    waits_.add(record);
    return known->second;
  }

  WaitList& waits_;
  const LinkedTrace& linked_;
  LaneTable& lane_table_;
  ByRow<Lane> lanes_;
  const std::vector<CallKind>& kinds_;
  Diagnostics& diagnostics_;
  ApiOrder api_;
  std::vector<std::uint32_t> record_calls_;  // in time order
  std::map<std::pair<std::int64_t, std::int64_t>, std::map<std::int64_t, std::uint32_t>>
      records_of_event_;  // (context, event) -> correlation -> row of EventRecords
  IdMap<std::int64_t, StreamActionIndex> action_of_record_;
};

}  // namespace

ByRow<Lane> add_sync_row_waits(WaitList& waits, const LinkedTrace& linked, LaneTable& lanes,
                               const std::vector<CallKind>& kinds, Diagnostics& diagnostics) {
  SyncRowWaits sync_rows(waits, linked, lanes, kinds, diagnostics);
  for (std::size_t row = 0; row < linked.device.syncs.size(); ++row)
    if (!sync_rows.add(row))
      report_at(diagnostics, "sync-row-unresolved", linked,
                to_string(linked.device.syncs.kind[row]), linked.device.syncs.start_ns[row],
                linked.device.syncs.correlation[row]);
  return std::move(sync_rows).take_lanes();
}

}  // namespace nadi
