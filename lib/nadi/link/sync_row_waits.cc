#include "nadi/link/sync_row_waits.h"

#include <algorithm>
#include <map>
#include <optional>

#include "nadi/base/id_map.h"
#include "nadi/link/record_streams.h"
#include "nadi/link/report_at.h"

namespace nadi {
namespace {

/// Resolves sync rows against calls and event records.
class SyncRowWaits {
 public:
  SyncRowWaits(WaitList& waits, const LinkedTrace& linked, LaneTable& lane_table,
               const CallEffects& effects, const StreamCalls& calls,
               const RecordsOfWaits& records_of_waits, Diagnostics& diagnostics)
      : waits_(waits),
        linked_(linked),
        lane_table_(lane_table),
        lanes_(linked.lanes),
        effects_(effects),
        calls_(calls),
        records_of_waits_(records_of_waits),
        diagnostics_(diagnostics),
        records_(linked.device.event_records.correlation, -1) {
    const EventRecords& records = linked.device.event_records;
    for (const EventRecordIndex row : rows_of(records))
      records_of_event_[records.event[row]][records.context[row]][records.correlation[row]] = row;
    for (const DeviceRowIndex row : rows_of(linked.device.rows)) {
      if (linked.device.rows.kind[row] != DeviceRowKind::kEventRecord ||
          linked.device.rows.correlation[row] < 0)
        continue;
      const LaneIndex lane = linked.rows.lane[row];
      const auto [known, is_new] =
          lane_in_graph_.try_emplace(linked.device.rows.correlation[row], lane);
      if (!is_new && known->second != lane) known->second = LaneIndex();  // several: unknown
    }
  }

  bool is_of_query(SyncRowIndex row) const {
    const CallIndex call = calls_.api.call_with(linked_.device.syncs.correlation[row]);
    return call && is_query(effects_[call]);
  }

  /// False where the sync row names no work that could be found.
  bool add(SyncRowIndex row) {
    const SyncRows& syncs = linked_.device.syncs;
    StreamAction action;
    action.correlation = syncs.correlation[row];
    action.call = calls_.api.call_with(action.correlation);
    action.time_ns = action.call ? linked_.device.calls.start_ns[action.call] : syncs.start_ns[row];
    if (is_of_query(row) && !ends_loop(action.call)) return true;
    if (records_of_waits_.is_idle[row]) return true;
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
        if (!action.record) return is_without_effect(row, action.call);
        break;
      case SyncKind::kStreamWaitEvent:
        if (syncs.stream[row] < 0) return false;
        action.kind = StreamActionKind::kStreamWaitEvent;
        action.lane = stream_lane(syncs.device[row], syncs.stream[row]);
        action.record = record_of(row);
        if (!action.record) action.record = infer_record_of(row, action);
        if (!action.record) return is_without_effect(row, {});
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

  /// The row names a record of which only the call is known, and whose stream is not certain.
  bool must_infer_record(SyncRowIndex row) {
    const SyncRows& syncs = linked_.device.syncs;
    const bool is_event =
        syncs.kind[row] == SyncKind::kEvent || syncs.kind[row] == SyncKind::kStreamWaitEvent;
    const std::int64_t correlation = records_of_waits_.correlation[row];
    return is_event && correlation >= 0 && syncs.wait_on_stream[row] < 0 &&
           records_.rows(correlation).empty() && !stream_in_graph(correlation) &&
           !record_streams().is_certain(correlation);
  }

  /// Once all that is certain was added.
  void infer_records() { record_streams().infer(waits_); }

  ByRow<Lane> take_lanes() && { return std::move(lanes_); }

 private:
  using RecordsOfEvent = std::map<std::int64_t, EventRecordIndex>;  // by correlation

  LaneIndex stream_lane(std::int64_t device, std::int64_t stream) {
    return lane_table_.stream_lane(lanes_, device, stream);
  }

  /// A loop of queries waits until the last finds that the event has happened.
  bool ends_loop(CallIndex query) const {
    const StreamCallIndex loop = calls_.of(query);
    return loop && calls_.calls[loop].is_loop();
  }

  /// The kEventRecord action the sync row refers to, added on first use; none = unresolved.
  StreamActionIndex record_of(SyncRowIndex row) {
    const SyncRows& syncs = linked_.device.syncs;
    const std::int64_t correlation = records_of_waits_.correlation[row];
    if (correlation >= 0 && syncs.wait_on_stream[row] >= 0)
      return add_record(correlation, syncs.device[row], syncs.wait_on_stream[row]);
    if (const auto records = records_.rows(correlation); correlation >= 0 && !records.empty())
      return add_record_row(records.front().row, row);
    if (const LaneIndex lane = stream_in_graph(correlation))
      return add_record(correlation, lane, Inference::kNone);
    const bool is_lost = records_of_waits_.is_inferred[row];
    if (const RecordsOfEvent* const records = is_lost ? nullptr : records_of_event(row)) {
      const auto after = records->lower_bound(syncs.correlation[row]);
      return after == records->begin() ? StreamActionIndex()
                                       : add_record_row(std::prev(after)->second, row);
    }
    const RecordStream* const stream = stream_of_record(row);
    if (stream == nullptr || !stream->lane) return {};
    const Inference inferred = records_of_waits_.is_inferred[row]
                                   ? std::max(stream->inferred, Inference::kPattern)
                                   : stream->inferred;
    if (is_guess(inferred))
      report_at(diagnostics_, Finding::kRecordStreamInferred, linked_, to_string(syncs.kind[row]),
                syncs.start_ns[row], syncs.correlation[row]);
    return add_record(correlation, stream->lane, inferred);
  }

  /// The records of the event in the waiting row's own context, else in the only one that has it:
  /// a stream may wait for an event of another device (K18). Null = none are known.
  const RecordsOfEvent* records_of_event(SyncRowIndex row) {
    const SyncRows& syncs = linked_.device.syncs;
    const auto event = records_of_event_.find(syncs.wait_on_event[row]);
    if (syncs.wait_on_event[row] < 0 || event == records_of_event_.end()) return nullptr;
    const auto& contexts = event->second;
    if (const auto own = contexts.find(syncs.context[row]); own != contexts.end())
      return &own->second;
    if (contexts.size() > 1) return nullptr;
    report_at(diagnostics_, Finding::kEventOfOtherContext, linked_, to_string(syncs.kind[row]),
              syncs.start_ns[row], syncs.correlation[row]);
    return &contexts.begin()->second;
  }

  /// The stream of the only event that the launch of a CUDA graph records (N24).
  LaneIndex stream_in_graph(std::int64_t correlation) const {
    const auto found = lane_in_graph_.find(correlation);
    return found == lane_in_graph_.end() ? LaneIndex() : found->second;
  }

  /// The record of which only the call is known, if its stream can be found (N27).
  const RecordStream* stream_of_record(SyncRowIndex row) {
    const std::int64_t correlation = records_of_waits_.correlation[row];
    if (correlation < 0) return nullptr;
    const auto [known, is_new] = stream_of_record_.try_emplace(correlation);
    const CallIndex call = calls_.api.call_with(correlation);
    if (is_new) known->second = record_streams().find(correlation, call, record_time(correlation));
    return known->second.is_known ? &known->second : nullptr;
  }

  RecordStreams& record_streams() {
    if (record_streams_) return *record_streams_;
    const SyncRows& syncs = linked_.device.syncs;
    for (const SyncRowIndex wait : rows_of(syncs))
      if (syncs.kind[wait] == SyncKind::kStreamWaitEvent && syncs.stream[wait] >= 0)
        stream_lane(syncs.device[wait], syncs.stream[wait]);
    return record_streams_.emplace(linked_, lane_table_, effects_, calls_, records_of_waits_);
  }

  /// A wait for what nothing had been given before: the host's call is one that blocks nonetheless.
  bool is_without_effect(SyncRowIndex row, CallIndex call) {
    if (stream_of_record(row) == nullptr) return false;
    if (call) waits_.mark_blocking(call);
    return true;
  }

  StreamActionIndex add_record_row(EventRecordIndex record, SyncRowIndex row) {
    const EventRecords& records = linked_.device.event_records;
    const std::int64_t device =
        records.device[record] >= 0 ? records.device[record] : linked_.device.syncs.device[row];
    return add_record(records.correlation[record], device, records.stream[record]);
  }

  /// Of a stream's wait that names the stream it waits for and no record (K17): all work that this
  /// stream had been given by the last record before the wait, of whatever event, or by the wait
  /// where the trace has no records (K26). None = it names no stream.
  StreamActionIndex infer_record_of(SyncRowIndex row, const StreamAction& wait) {
    const SyncRows& syncs = linked_.device.syncs;
    if (syncs.wait_on_stream[row] < 0) return {};
    StreamAction record = wait;
    record.kind = StreamActionKind::kEventRecord;
    record.inferred = Inference::kPattern;
    if (const std::size_t count = calls_.records_before(wait.time_ns); count > 0) {
      record.call = calls_.calls[calls_.records[count - 1]].call;
      record.time_ns = linked_.device.calls.start_ns[record.call];
      record.correlation = linked_.device.calls.correlation[record.call];
    }
    record.lane = stream_lane(syncs.device[row], syncs.wait_on_stream[row]);
    report_at(diagnostics_, Finding::kWaitWithoutRecord, linked_, to_string(syncs.kind[row]),
              syncs.start_ns[row], syncs.correlation[row]);
    return waits_.add(record);
  }

  /// A record whose own call is lost stands where the call before it (by correlation) stands.
  Ns record_time(std::int64_t correlation) const {
    const CallIndex call = calls_.api.call_with(correlation);
    return call ? linked_.device.calls.start_ns[call] : calls_.api.begin_before(correlation);
  }

  StreamActionIndex add_record(std::int64_t correlation, std::int64_t device, std::int64_t stream) {
    return add_record(correlation, stream_lane(device, stream), Inference::kNone);
  }

  StreamActionIndex add_record(std::int64_t correlation, LaneIndex lane, Inference inferred) {
    auto [known, is_new] =
        action_of_record_.try_emplace(correlation, StreamActionIndex(waits_.actions().size()));
    if (!is_new) return known->second;
    StreamAction record;
    record.kind = StreamActionKind::kEventRecord;
    record.correlation = correlation;
    record.inferred = inferred;
    record.call = calls_.api.call_with(correlation);
    record.time_ns = record_time(correlation);
    record.lane = lane;
    waits_.add(record);
    return known->second;
  }

  WaitList& waits_;
  const LinkedTrace& linked_;
  LaneTable& lane_table_;
  ByRow<Lane> lanes_;
  const CallEffects& effects_;
  const StreamCalls& calls_;
  const RecordsOfWaits& records_of_waits_;
  Diagnostics& diagnostics_;
  KeyIndex<EventRecords, std::int64_t> records_;  // event records, by correlation
  std::optional<RecordStreams> record_streams_;   // once asked for
  IdMap<std::int64_t, RecordStream> stream_of_record_;
  IdMap<std::int64_t, LaneIndex> lane_in_graph_;  // by the launch's correlation
  std::map<std::int64_t, std::map<std::int64_t, RecordsOfEvent>>
      records_of_event_;  // by event, context
  IdMap<std::int64_t, StreamActionIndex> action_of_record_;
};

}  // namespace

ByRow<Lane> add_sync_row_waits(WaitList& waits, const LinkedTrace& linked, LaneTable& lanes,
                               const CallEffects& effects, const StreamCalls& calls,
                               const RecordsOfWaits& records, Diagnostics& diagnostics) {
  SyncRowWaits sync_rows(waits, linked, lanes, effects, calls, records, diagnostics);
  const SyncRows& syncs = linked.device.syncs;
  std::vector<SyncRowIndex> open;
  const auto add = [&](SyncRowIndex row) {
    if (!sync_rows.add(row) && !sync_rows.is_of_query(row))
      report_at(diagnostics, Finding::kSyncRowUnresolved, linked, to_string(syncs.kind[row]),
                syncs.start_ns[row], syncs.correlation[row]);
  };
  for (const SyncRowIndex row : rows_of(syncs))
    if (sync_rows.must_infer_record(row))
      open.push_back(row);
    else
      add(row);
  if (!open.empty()) sync_rows.infer_records();
  for (const SyncRowIndex row : open) add(row);
  return std::move(sync_rows).take_lanes();
}

}  // namespace nadi
