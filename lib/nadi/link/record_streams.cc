#include "nadi/link/record_streams.h"

#include <algorithm>
#include <utility>

#include "nadi/link/implied_waits.h"
#include "nadi/link/inferred_waits.h"
#include "nadi/link/lost_copies.h"
#include "nadi/model/row_order.h"

namespace nadi {
namespace {

/// Of a process with more streams only what is inferred from calls counts.
constexpr std::size_t kMostPossibleStreams = 16;
/// What was inferred says more.
constexpr int kRounds = 2;

}  // namespace

RecordStreams::RecordStreams(const LinkedTrace& linked, const LaneTable& lanes,
                             const CallEffects& effects, const StreamCalls& calls,
                             const RecordsOfWaits& records)
    : linked_(linked), effects_(effects), calls_(calls) {
  for (const LaneIndex lane : rows_of(linked.lanes))
    if (linked.lanes[lane].is_device) streams_.with_rows.push_back(lane);
  for (const SyncRowIndex row : rows_of(linked.device.syncs))
    add_wait(row, records.correlation[row], lanes,
             calls.api.call_with(linked.device.syncs.correlation[row]));
}

void RecordStreams::add_wait(SyncRowIndex row, std::int64_t record, const LaneTable& lanes,
                             CallIndex call) {
  const SyncRows& syncs = linked_.device.syncs;
  const RuntimeCalls& calls = linked_.device.calls;
  if (syncs.kind[row] == SyncKind::kEvent) {
    if (!call) return;
    waiting_stream_[call] = LaneIndex();
    waits_[record].all.push_back({call, {}, call_end_ns(calls, call)});
    return;
  }
  if (syncs.kind[row] != SyncKind::kStreamWaitEvent) return;
  const auto lane = lanes.of_stream.find({syncs.device[row], syncs.stream[row]});
  if (lane == lanes.of_stream.end() || lane->second.value >= linked_.lanes.size()) {
    streams_.has_others = true;
    return;
  }
  if (call) waiting_stream_[call] = lane->second;
  const Ns time = call ? calls.start_ns[call] : syncs.start_ns[row];
  Waits& waits = waits_[record];
  waits.all.push_back({call, lane->second, time});
  waits.streams.insert(lane->second);
}

bool RecordStreams::is_certain(std::int64_t correlation) const {
  const auto waits = waits_.find(correlation);
  // Streams that run nothing wait.
  if (waits == waits_.end()) return true;
  return !streams_.has_others && possible_streams(waits->second).size() == 1;
}

void RecordStreams::infer(const WaitList& known) {
  Diagnostics of_guesses;
  WaitList waits = known;
  add_implied_waits(waits, linked_, calls_.timeline, effects_, of_guesses);
  add_waits_of_lost_copies(waits, linked_, calls_.timeline, effects_, of_guesses);
  for (int round = 0; round < kRounds; ++round) {
    WaitList guesses = waits;
    open_unknown_waits(guesses, calls_);
    infer_waits(guesses, linked_, calls_, of_guesses);
    for (std::size_t i = waits.actions().size(); i < guesses.actions().size(); ++i)
      keep_guess(guesses.actions(), guesses.actions()[i], waits);
    inferred_.emplace(std::move(guesses));
  }
}

/// Keeps what was inferred of a wait unless its sync row says that another stream waits.
void RecordStreams::keep_guess(const ByRow<StreamAction>& actions, StreamAction guess,
                               WaitList& waits) {
  if (!guess.call || !guess.record || guess.kind == StreamActionKind::kEventRecord) return;
  const StreamAction& record = actions[guess.record];
  const bool is_stream = guess.kind == StreamActionKind::kStreamWaitEvent;
  const LaneIndex waiting = is_stream ? guess.lane : LaneIndex();
  const auto stream = waiting_stream_.find(guess.call);
  if (stream != waiting_stream_.end() && stream->second != waiting) return;
  guesses_[guess.call] = {record.lane, record.inferred};
  guess.record = waits.add(record);
  if (is_stream)
    waits.add(guess);
  else
    waits.add_host_wait(guess, guess.call);
}

RecordStream RecordStreams::find(std::int64_t correlation, CallIndex call, Ns time) const {
  const auto found = waits_.find(correlation);
  if (streams_.with_rows.empty() || found == waits_.end()) return {true, {}, Inference::kNone};
  const Waits& waits = found->second;
  const bool is_sure = is_certain(correlation);
  const RecordStream guess = is_sure ? RecordStream() : find_guess(waits);
  const DeviceRowIndex guessed_row =
      guess.lane ? calls_.timeline.last_given(guess.lane, time + 1) : DeviceRowIndex();
  const bool is_possible_guess = !guessed_row || !is_contradicted({guess.lane, guessed_row}, waits);
  const LaneIndex before = launched_right_before(call);
  const bool is_doubtful = guess.inferred == Inference::kTiming ||
                           (guess.inferred == Inference::kPlace && before && before != guess.lane);
  if (guess.is_known && is_possible_guess && !is_doubtful) return guess;
  if (!is_sure && !launches(call) && are_explained(waits)) return {true, {}, Inference::kPattern};
  std::vector<Candidate> candidates;
  for (const LaneIndex lane : possible_streams(waits))
    // The rows that the call itself launched, as a graph, are among them.
    if (const DeviceRowIndex row = calls_.timeline.last_given(lane, time + 1))
      candidates.push_back({lane, row});
  if (is_sure)
    return {true, candidates.empty() ? LaneIndex() : candidates.front().lane, Inference::kNone};
  if (launches(call))
    std::erase_if(candidates,
                  [&](const Candidate& one) { return linked_.rows.launch[one.row] != call; });
  const bool are_others_excluded = 0 < std::erase_if(candidates, [&](const Candidate& one) {
                                     return is_contradicted(one, waits);
                                   });
  if (linked_.hypotheses.has(Hypothesis::kRecordHeldUp) && candidates.size() == 1 &&
      (are_others_excluded || held_up(candidates.front(), waits)))
    return {true, candidates.front().lane, info(Hypothesis::kRecordHeldUp).inferred};
  const bool is_possible = before && linked_.hypotheses.has(Hypothesis::kRecordBehindLaunch) &&
                           std::any_of(candidates.begin(), candidates.end(),
                                       [&](const Candidate& one) { return one.lane == before; });
  if (is_possible) return {true, before, info(Hypothesis::kRecordBehindLaunch).inferred};
  return is_possible_guess ? guess : RecordStream();
}

/// The stream on which the recording thread launched with the call before the record, but for other
/// records, or with a communication on the current stream; inside a communication with any before
/// it.
LaneIndex RecordStreams::launched_right_before(CallIndex record) const {
  const StreamCallIndex own = calls_.of(record);
  if (!own) return {};
  const LinkedOpIndex communication = calls_.calls[own].comm_op;
  const StreamCallIndex begin = calls_.thread_begin[linked_.calls.lane[record]];
  for (StreamCallIndex at = own; at > begin && own - at < StreamCalls::kMostCallsOfOp;
       at = at - 1) {
    const StreamCall& call = calls_.calls[at - 1];
    const bool is_own = call.comm_op == communication;
    if (call.row)
      return is_own || (!communication && is_launch(call)) ? linked_.rows.lane[call.row]
                                                           : LaneIndex();
    if (is_own && call.effect == CallEffect::kEventRecord) continue;
    if (is_own ? !communication : communication || !call.comm_op) return {};
  }
  return {};
}

/// Those that do not wait; where all do, all. None of too many.
std::vector<LaneIndex> RecordStreams::possible_streams(const Waits& waits) const {
  if (streams_.with_rows.size() > kMostPossibleStreams) return {};
  std::vector<LaneIndex> possible = streams_.with_rows;
  std::erase_if(possible, [&](LaneIndex lane) { return waits.streams.contains(lane); });
  return possible.empty() ? streams_.with_rows : possible;
}

/// What was inferred of one of the waits, if it was for the stream that does wait.
RecordStream RecordStreams::find_guess(const Waits& waits) const {
  for (const Wait& wait : waits.all) {
    if (!wait.call) continue;
    const auto guess = guesses_.find(wait.call);
    if (guess != guesses_.end() && !waits.streams.contains(guess->second.source))
      return {true, guess->second.source, guess->second.inferred};
  }
  return {};
}

/// All of the waits are of streams and known to hold nothing up. Of the host's that is not known:
/// on a slower device they would.
bool RecordStreams::are_explained(const Waits& waits) const {
  return std::all_of(waits.all.begin(), waits.all.end(), [&](const Wait& wait) {
    const StreamCallIndex own = calls_.of(wait.call);
    return wait.lane && own && !(inferred_ && inferred_->is_open(wait.call)) &&
           !guesses_.contains(wait.call);
  });
}

bool RecordStreams::launches(CallIndex call) const {
  const StreamCallIndex own = calls_.of(call);
  return own && calls_.calls[own].row;
}

/// A stream that waits went on right when the work had ended.
bool RecordStreams::held_up(const Candidate& candidate, const Waits& waits) const {
  const Ns end = row_end_ns(linked_, candidate.row);
  return std::any_of(waits.all.begin(), waits.all.end(), [&](const Wait& wait) {
    const DeviceRowIndex next =
        wait.lane ? calls_.timeline.first_given(wait.lane, wait.time) : DeviceRowIndex();
    if (!next) return false;
    const Ns gap = row_start_ns(linked_, next) - end;
    return gap >= 0 && gap <= kRowFollows;
  });
}

/// Somebody went on before the work had ended.
bool RecordStreams::is_contradicted(const Candidate& candidate, const Waits& waits) const {
  return std::any_of(waits.all.begin(), waits.all.end(), [&](const Wait& wait) {
    if (wait.lane)
      return !may_wait_for(linked_, candidate.row,
                           calls_.timeline.first_given(wait.lane, wait.time));
    return row_end_ns(linked_, candidate.row) > wait.time + kClockLeeway;
  });
}

}  // namespace nadi
