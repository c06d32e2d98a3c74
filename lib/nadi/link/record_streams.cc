#include "nadi/link/record_streams.h"

#include <algorithm>

#include "nadi/link/api_order.h"
#include "nadi/link/inferred_waits.h"
#include "nadi/model/row_order.h"

namespace nadi {
namespace {

/// Of a device with more streams only the one that the recording thread tells is looked at.
constexpr std::size_t kMostPossibleStreams = 16;

}  // namespace

RecordStreams::RecordStreams(const LinkedTrace& linked, const LaneTable& lanes,
                             const std::vector<CallKind>& kinds)
    : linked_(linked), calls_(linked, kinds) {
  for (std::size_t lane = 0; lane < linked.lanes.size(); ++lane)
    if (linked.lanes[lane].is_device)
      streams_[linked.lanes[lane].device].with_rows.push_back(LaneIndex(lane));
  const ApiOrder api(linked.device);
  for (std::size_t row = 0; row < linked.device.syncs.size(); ++row)
    add_wait(row, lanes, api.call_with(linked.device.syncs.correlation[row]));
}

void RecordStreams::add_wait(std::size_t row, const LaneTable& lanes, CallIndex call) {
  const SyncRows& syncs = linked_.device.syncs;
  const RuntimeCalls& calls = linked_.device.calls;
  if (syncs.kind[row] == SyncKind::kEvent) {
    if (call) waits_[syncs.wait_on_record[row]].push_back({{}, call_end_ns(calls, call)});
    return;
  }
  if (syncs.kind[row] != SyncKind::kStreamWaitEvent) return;
  const auto lane = lanes.of_stream.find({syncs.device[row], syncs.stream[row]});
  if (lane == lanes.of_stream.end() || lane->second.value >= linked_.lanes.size()) {
    streams_[syncs.device[row]].has_others = true;
    return;
  }
  const Ns time = call ? calls.start_ns[call] : syncs.start_ns[row];
  waits_[syncs.wait_on_record[row]].push_back({lane->second, time});
}

RecordStream RecordStreams::find(std::int64_t correlation, std::int64_t device, CallIndex call,
                                 Ns time) const {
  const auto streams = streams_.find(device);
  const auto waits = waits_.find(correlation);
  // Streams that run nothing wait.
  if (streams == streams_.end() || waits == waits_.end()) return {true, {}, Inference::kNone};
  const std::vector<LaneIndex> possible = possible_streams(streams->second, waits->second);
  std::vector<Candidate> found = given_something(possible, time);
  if (possible.size() == 1 && !streams->second.has_others)
    return {true, found.empty() ? LaneIndex() : found.front().lane, Inference::kNone};
  const std::uint32_t place = call ? calls_.place_of_call[call] : kNoIndex;
  if (place != kNoIndex && calls_.calls[place].row != kNoIndex) {
    // A graph was launched that records the event: on one of its streams.
    std::erase_if(found, [&](const Candidate& candidate) {
      return linked_.rows.launch[candidate.row] != call;
    });
  } else if (place != kNoIndex) {
    const StreamCall& record = calls_.calls[place];
    if (const RecordStream told = find_in_communication(record, waits->second); told.is_known)
      return told;
    if (const LaneIndex lane = current_stream(record, waits->second))
      return {true, lane, Inference::kPattern};
  }
  if (found.empty()) return {!possible.empty(), {}, Inference::kPattern};
  std::erase_if(
      found, [&](const Candidate& candidate) { return is_contradicted(candidate, waits->second); });
  if (found.size() == 1) return {true, found.front().lane, Inference::kTiming};
  const LaneIndex last = call ? launched_last(found, call) : LaneIndex();
  return {bool(last), last, Inference::kPattern};
}

/// Those that do not wait; where all do, all. None of too many.
std::vector<LaneIndex> RecordStreams::possible_streams(const Streams& streams, const Waits& waits) {
  if (streams.with_rows.size() > kMostPossibleStreams) return {};
  std::vector<LaneIndex> possible = streams.with_rows;
  std::erase_if(possible, [&](LaneIndex lane) { return is_waiting(lane, waits); });
  return possible.empty() ? streams.with_rows : possible;
}

/// What the streams had been given by the call that began at the time, its own rows included.
std::vector<RecordStreams::Candidate> RecordStreams::given_something(
    const std::vector<LaneIndex>& lanes, Ns time) const {
  std::vector<Candidate> found;
  for (const LaneIndex lane : lanes)
    if (const std::uint32_t row = last_given(linked_, lane, time + 1); row != kNoIndex)
      found.push_back({lane, row});
  return found;
}

bool RecordStreams::is_waiting(LaneIndex lane, const Waits& waits) {
  return std::any_of(waits.begin(), waits.end(),
                     [&](const Wait& wait) { return wait.lane == lane; });
}

/// Somebody went on before the work had ended.
bool RecordStreams::is_contradicted(const Candidate& candidate, const Waits& waits) const {
  return std::any_of(waits.begin(), waits.end(), [&](const Wait& wait) {
    if (wait.lane)
      return !may_wait_for(linked_, candidate.row, first_given(linked_, wait.lane, wait.time));
    return row_end_ns(linked_, candidate.row) > wait.time + kClockLeeway;
  });
}

/// The first record of a communication before its launch is of the current stream, for the
/// communication's to wait for; what it records behind it for others is of its own stream. All else
/// is NCCL's, of streams without rows.
RecordStream RecordStreams::find_in_communication(const StreamCall& record,
                                                  const Waits& waits) const {
  if (record.comm_op == kNoIndex || !calls_.is_comm_record(record.comm_op)) return {};
  const auto thread = linked_.calls.lane[record.call];
  const auto all =
      std::span(calls_.calls)
          .subspan(calls_.thread_begin[thread.value],
                   calls_.thread_begin[thread.value + 1] - calls_.thread_begin[thread.value]);
  const auto own = static_cast<std::size_t>(&record - all.data());
  const auto calls = calls_.of_op(LinkedOpIndex(record.comm_op), all, own);
  LaneIndex communication;
  bool is_first = true, is_behind = false;
  for (const StreamCall& call : calls) {
    if (call.comm_op != record.comm_op) continue;
    if (&call < &record && call.kind == CallKind::kEventRecord) is_first = false;
    if (call.row == kNoIndex) continue;
    communication = linked_.rows.lane[call.row];
    is_behind |= &call < &record;
  }
  if (!communication || (is_first && !is_behind)) return {};
  const bool is_waited_for_by_others = std::any_of(
      waits.begin(), waits.end(), [&](const Wait& wait) { return wait.lane != communication; });
  if (is_behind && is_waited_for_by_others) return {true, communication, Inference::kPattern};
  return {true, {}, Inference::kNone};
}

/// The stream on which the thread launches around the record, unless that waits for it, or somebody
/// went on before its work had ended.
LaneIndex RecordStreams::current_stream(const StreamCall& record, const Waits& waits) const {
  const LaneIndex current = record.stream_before;
  const bool is_told = current && current == record.stream_after &&
                       calls_.keeps_current_stream(linked_.calls.lane[record.call].value);
  if (!is_told || is_waiting(current, waits)) return {};
  const Candidate last{current, last_given(linked_, current, calls_.begin_ns(record))};
  return last.row != kNoIndex && is_contradicted(last, waits) ? LaneIndex() : current;
}

/// The stream whose last work the recording thread launched last.
LaneIndex RecordStreams::launched_last(const std::vector<Candidate>& from, CallIndex record) const {
  const Candidate* last = nullptr;
  for (const Candidate& candidate : from)
    if (linked_.rows.launch_lane[candidate.row] == linked_.calls.lane[record] &&
        (last == nullptr || enqueue_ns(linked_, candidate.row) > enqueue_ns(linked_, last->row)))
      last = &candidate;
  return last == nullptr ? LaneIndex() : last->lane;
}

}  // namespace nadi
