#include "nadi/link/wait_positions.h"

#include <algorithm>
#include <numbers>
#include <unordered_map>

#include "nadi/link/inferred_waits.h"

namespace nadi {
namespace {

/// A position whose waits are for more pairs of streams shows no pattern.
constexpr std::size_t kMostPairs = 8;

}  // namespace

bool WaitPositions::keeps_current_stream(StreamCallIndex wait) const {
  return calls_.keeps_current_stream[linked_.calls.lane[calls_.calls[wait].call]];
}

void WaitPositions::note(StreamCallIndex wait, LaneIndex source, LaneIndex waiting) {
  if (!keeps_current_stream(wait)) return;
  const StreamCall& call = calls_.calls[wait];
  if (call.position_in_op != 0) in_ops_[call.position_in_op].insert({source, waiting});
  if (call.position_in_code != 0) in_code_[call.position_in_code].insert({source, waiting});
}

std::pair<DeviceRowIndex, DeviceRowIndex> WaitPositions::launches_around(
    StreamCallIndex wait) const {
  const auto next_row = [&](StreamCallIndex at, const auto& step) {
    for (; calls_.is_of_one_thread(wait, at); at = step(at)) {
      const StreamCall& call = calls_.calls[at];
      if (call.row || (call.effect == CallEffect::kStreamWaitEvent && !call.comm_op))
        return call.row;
    }
    return DeviceRowIndex();
  };
  return {next_row(wait - 1, [](StreamCallIndex at) { return at - 1; }),
          next_row(wait + 1, [](StreamCallIndex at) { return at + 1; })};
}

void WaitPositions::note_between_launches(std::span<const StreamCallIndex> open) {
  constexpr auto kWhy = Hypothesis::kBetweenLaunches;
  std::map<std::pair<std::uint64_t, Lanes>, std::pair<ClassCounts, Waits>> classes;
  for (const StreamCallIndex wait : open) {
    const StreamCall& call = calls_.calls[wait];
    const CallIndex record = calls_.recorded_before(wait);
    if (call.position_in_code == 0 || !record || record == call.call) continue;
    const auto [source, target] = launches_around(wait);
    if (!source || !target || linked_.rows.lane[source] == linked_.rows.lane[target]) continue;
    auto& [counts, waits] =
        classes[{call.position_in_code, {linked_.rows.lane[source], linked_.rows.lane[target]}}];
    ++counts.possible;
    counts.seen += was_launched_before_end(linked_, source, target) ? 1 : 0;
    counts.contradicted += may_wait_for(linked_, source, target) ? 0 : 1;
    waits.push_back(wait);
  }
  for (auto& [at, members] : classes) {
    auto& [counts, waits] = members;
    // What waits for nothing begins as often before the other's end as behind it.
    counts.log_chance = -static_cast<double>(counts.seen) * std::numbers::ln2;
    if (!linked_.hypotheses.hold(kWhy, counts)) continue;
    for (const StreamCallIndex wait : waits) note(wait, at.second.first, at.second.second);
  }
}

int WaitPositions::fit(StreamCallIndex wait, LaneIndex source, LaneIndex waiting) const {
  const auto known = in_ops_.find(calls_.calls[wait].position_in_op);
  if (known == in_ops_.end()) return 1;
  return known->second.contains({source, waiting}) ? kBestFit : 0;
}

void WaitPositions::add(std::span<const StreamCallIndex> open) {
  if (in_ops_.empty()) return;
  if (!records_waits_) find_next_of_name();
  add_at(in_ops_, &StreamCall::position_in_op, open,
         [](const StreamCall&, const Lanes&) { return true; });
  if (records_waits_) return;  // what timing shows is for single waits that were lost
  // Elsewhere another stream may be current.
  add_at(in_code_, &StreamCall::position_in_code, open,
         [&](const StreamCall& call, const Lanes& lanes) {
           const auto is_current = [&](LaneIndex lane) {
             return call.stream_before == lane || call.stream_after == lane;
           };
           return keeps_current_stream(calls_.index_of[call.call]) &&
                  (is_current(lanes.first) || is_current(lanes.second));
         });
}

template <class Fits>
void WaitPositions::add_at(const LanesAt& known, std::uint64_t StreamCall::*position,
                           std::span<const StreamCallIndex> open, const Fits& fits) {
  std::map<std::uint64_t, Waits> waits_at;
  for (const StreamCallIndex wait : open)
    if (known.contains(calls_.calls[wait].*position))
      waits_at[calls_.calls[wait].*position].push_back(wait);
  for (const auto& [at, waits] : waits_at) {
    const std::set<Lanes>& pairs = known.at(at);
    if (pairs.size() > kMostPairs) continue;
    for (const Lanes& lanes : pairs) {
      Waits behind_records, others;
      for (const StreamCallIndex wait : waits)
        if (const StreamCall& call = calls_.calls[wait];
            fits(call, lanes) && (!call.waiting || call.waiting == lanes.second))
          (calls_.recorded_before(wait) ? behind_records : others).push_back(wait);
      add_behind_records(lanes, behind_records);
      add_in_turn(lanes, others);
    }
  }
}

/// Waits for the event that was recorded right before: for what the source was given by then.
void WaitPositions::add_behind_records(const Lanes& lanes, const Waits& waits) {
  constexpr auto kWhy = Hypothesis::kSameStreamsInOp;
  const auto& [source, waiting] = lanes;
  ClassCounts counts{waits.size()};
  for (const StreamCallIndex wait : waits) {
    const DeviceRowIndex last = calls_.timeline.last_given(
        source, linked_.device.calls.start_ns[calls_.recorded_before(wait)]);
    const DeviceRowIndex next =
        calls_.timeline.first_given(waiting, calls_.begin_ns(calls_.calls[wait]));
    counts.contradicted += may_wait_for(linked_, last, next) ? 0 : 1;
  }
  if (!linked_.hypotheses.hold(kWhy, counts)) return;
  for (const StreamCallIndex wait : waits) {
    const CallIndex call = calls_.calls[wait].call;
    if (waits_.is_open(call))
      add_stream_wait(waits_, linked_, call, waiting,
                      given_by(linked_, source, calls_.recorded_before(wait)), info(kWhy).inferred);
    waits_.close(call);
  }
}

/// Waits for events that were recorded earlier: these come in the order in which they were
/// recorded, so that each is for the next row of the name, from a wait on whose row is known.
void WaitPositions::add_in_turn(const Lanes& lanes, const Waits& waits) {
  if (records_waits_) return;  // those of which nothing is known are for the last record
  constexpr auto kWhy = Hypothesis::kSameStreamsInOp;
  std::vector<Member> members;
  ClassCounts counts;
  DeviceRowIndex source;
  for (const StreamCallIndex wait : waits) {
    if (const auto known = source_of_.find(wait); known != source_of_.end()) {
      if (linked_.rows.lane[known->second] == lanes.first) source = known->second;
      continue;
    }
    const StreamCall& call = calls_.calls[wait];
    const DeviceRowIndex next = source ? next_of_name_[source] : DeviceRowIndex();
    if (!waits_.is_open(call.call) || !next ||
        !calls_.has_record_behind(next, calls_.begin_ns(call)))
      continue;
    source = next;
    const DeviceRowIndex target = calls_.timeline.first_given(lanes.second, calls_.begin_ns(call));
    counts.contradicted += may_wait_for(linked_, source, target) ? 0 : 1;
    members.push_back({wait, source, target});
  }
  counts.possible = members.size();
  if (!linked_.hypotheses.hold(kWhy, counts)) return;
  for (const Member& one : members) {
    if (!one.target) continue;
    const CallIndex call = calls_.calls[one.wait].call;
    add_stream_wait(waits_, linked_, call, lanes.second, given_with_row(linked_, one.source),
                    info(kWhy).inferred);
    waits_.close(call);
    note_source(one.wait, one.source);
  }
}

void WaitPositions::find_next_of_name() {
  next_of_name_.resize(linked_.rows.size());
  for (const auto& lane : linked_.rows_by_lane) {
    std::unordered_map<StringId, DeviceRowIndex> next;
    for (auto row = lane.rbegin(); row != lane.rend(); ++row) {
      DeviceRowIndex& of_name = next[linked_.device.rows.name[*row]];
      next_of_name_[*row] = of_name;
      of_name = *row;
    }
  }
}

}  // namespace nadi
