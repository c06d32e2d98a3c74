
#include "nadi/link/host_wait_timing.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "nadi/link/inferred_waits.h"
#include "nadi/model/row_order.h"

namespace nadi {
namespace {

/// How soon after the work it waited for a call returns.
constexpr Ns kCallReturns = 20'000;
/// Each call is held against each stream, and so many of its rows; of more streams than that
/// nothing is guessed. All calls together look at so many rows for each that the trace has; where
/// they would look at more, nothing is guessed from there on.
constexpr std::size_t kMostStreams = 256, kMostRowsBack = 4'096, kMostLooksOfRow = 64;
/// What is usual of returns is known from so many.
constexpr std::size_t kLeastKnownReturns = 4;

/// Guesses in one pass, in API order, what calls waited for where no sync row tells (K20). A call
/// waited for the work of a lane that ended inside it, shortly before it returned, if no other
/// lane's did. A wait for an event may return long after the work has ended (K28): then the thread
/// must have recorded an event right behind that very work.
class TimedHostWaits {
 public:
  TimedHostWaits(WaitList& waits, const LinkedTrace& linked, StreamCalls& calls,
                 Diagnostics& diagnostics)
      : waits_(waits),
        linked_(linked),
        calls_(calls),
        diagnostics_(diagnostics),
        timeline_(calls.timeline),
        record_of_thread_(linked.lanes.size()),
        looks_left_(kMostLooksOfRow * linked.rows.size()) {}

  void run() {
    find_recorded_returns();
    const auto is_wanted = [](const StreamCall& call) {
      return call.is_open || call.effect == CallEffect::kEventRecord;
    };
    for (const StreamCallIndex index : calls_.in_time_order(is_wanted)) {
      StreamCall& call = calls_.calls[index];
      if (call.effect == CallEffect::kEventRecord) record_of_thread_[thread_of(call)] = index;
      if (call.effect == CallEffect::kSyncStream) call.is_open = !guess_stream_sync(call);
      if (call.effect == CallEffect::kSyncEvent) call.is_open = !guess_event_sync(call);
    }
    choose_by_usual_returns();
    add_same_call_sites();
  }

 private:
  using CallsBySite = std::map<std::uint64_t, std::vector<StreamCallIndex>>;
  /// From the end of the work to the return of the call.
  struct Returns {
    Ns least, most;
  };

  Ns end_of(DeviceRowIndex row) const { return row_end_ns(linked_, row); }
  LaneIndex thread_of(const StreamCall& call) const { return linked_.calls.lane[call.call]; }

  /// How soon after its work a call of a name returns, by the waits that are recorded; one that is
  /// not recorded may take half as long again.
  void find_recorded_returns() {
    std::map<StringId, std::vector<Ns>> recorded;
    for (const StreamAction& action : waits_.actions()) {
      const DeviceRowIndex row = is_guess(action.inferred) ? DeviceRowIndex() : row_of(action);
      if (!row || !action.call) continue;
      const StreamCallIndex call = calls_.index_of[action.call];
      if (!call || !ended_inside(row, calls_.calls[call])) continue;
      recorded[linked_.device.calls.name[action.call]].push_back(calls_.end_ns(calls_.calls[call]) -
                                                                 end_of(row));
    }
    for (const auto& [name, returns] : recorded)
      if (returns.size() >= kLeastKnownReturns) {
        const auto [least, most] = std::minmax_element(returns.begin(), returns.end());
        recorded_returns_[name] = {*least - linked_.clock_resolution_ns, *most + *most / 2};
      }
  }

  /// The last row that a recorded host wait was for; none = there is none, or of several lanes.
  DeviceRowIndex row_of(const StreamAction& wait) const {
    switch (wait.kind) {
      case StreamActionKind::kHostWaitRow:
        return wait.row;
      case StreamActionKind::kHostWaitStream:
        return timeline_.last_given(wait.lane, wait.time_ns);
      case StreamActionKind::kHostWaitEvent:
        return timeline_.last_given(waits_.actions()[wait.record].lane,
                                    waits_.actions()[wait.record].time_ns);
      default:
        return {};
    }
  }

  bool ended_inside(DeviceRowIndex row, const StreamCall& call) const {
    return end_of(row) > calls_.begin_ns(call) && end_of(row) <= calls_.end_ns(call);
  }

  /// The one lane whose enqueued work ended inside the call, shortly before it returned.
  bool guess_stream_sync(const StreamCall& call) {
    if (timeline_.streams.size() == 1)
      return add_possible_sync(call, timeline_.streams.front(), Inference::kPattern);
    DeviceRowIndex found;
    for (const LaneIndex stream : timeline_.streams) {
      const DeviceRowIndex tail = timeline_.last_to_end(stream, calls_.begin_ns(call));
      if (!tail || !ended_inside(tail, call) || calls_.end_ns(call) - end_of(tail) > kCallReturns)
        continue;
      if (found) {
        ambiguous_.push_back(calls_.index_of[call.call]);
        return false;
      }
      found = tail;
    }
    return add_host_guess(call, found);
  }

  /// All the lane had been given ended by the call's return.
  bool add_possible_sync(const StreamCall& call, LaneIndex lane, Inference inference) {
    const DeviceRowIndex last = timeline_.last_given(lane, calls_.begin_ns(call));
    if (last && end_of(last) > calls_.end_ns(call) + linked_.clock_resolution_ns) return false;
    add_stream_sync(waits_, call.call, lane, inference);
    return true;
  }

  /// The one lane with a row that ended inside the call and was the last before a record.
  bool guess_event_sync(const StreamCall& call) {
    const LaneRow recorded =
        lane_row_ended_inside(call, [&](DeviceRowIndex row) { return is_recorded(row, call); });
    if (!recorded.is_only_one) {
      ambiguous_.push_back(calls_.index_of[call.call]);
      return false;
    }
    if (add_host_guess(call, recorded.row)) return true;
    return guess_late_return(call);
  }

  /// A call that waits for an interrupt returns long after its work has ended (K28): that work is
  /// what the thread recorded an event behind, if no other lane's work ended inside the call.
  bool guess_late_return(const StreamCall& call) {
    const StreamCallIndex record = record_of_thread_[thread_of(call)];
    const DeviceRowIndex launched = timeline_.last_launched(thread_of(call), calls_.begin_ns(call));
    if (!record || !launched) return false;
    const Ns recorded = calls_.begin_ns(calls_.calls[record]);
    if (enqueue_ns(linked_, launched) >= recorded) return false;
    const LaneRow ended = lane_row_ended_inside(call, [](DeviceRowIndex) { return true; });
    if (!ended.is_only_one || !ended.row || !has_blocked(call, ended.row) ||
        ended.row != timeline_.last_to_end(linked_.rows.lane[launched], recorded))
      return false;
    add_seen(call, ended.row);
    diagnostics_.report(Finding::kLateReturnsInferred,
                        linked_.strings[linked_.device.calls.name[call.call]]);
    return true;
  }

  /// Of the lanes with rows that were enqueued before the call, ended inside it and are accepted.
  struct LaneRow {
    DeviceRowIndex row;       ///< the last of them on the first such lane; none = there is none
    bool is_only_one = true;  ///< no other lane has such rows
  };
  template <class Accepts>
  LaneRow lane_row_ended_inside(const StreamCall& call, const Accepts& accepts) {
    LaneRow found;
    for (const LaneIndex stream : timeline_.streams) {
      const DeviceRowIndex row = last_ended_inside(stream, call, accepts);
      if (!row) continue;
      if (found.row) return {found.row, false};
      found.row = row;
    }
    if (looks_left_ == 0) return {};
    return found;
  }

  template <class Accepts>
  DeviceRowIndex last_ended_inside(LaneIndex stream, const StreamCall& call,
                                   const Accepts& accepts) {
    const Ns begin = calls_.begin_ns(call), end = calls_.end_ns(call);
    const auto rows = timeline_.up_to_last_ended(stream, end);
    for (std::size_t i = 0; i < std::min(rows.size(), kMostRowsBack); ++i) {
      const DeviceRowIndex row = rows[rows.size() - 1 - i];
      if (end_of(row) <= begin || looks_left_ == 0) return {};
      --looks_left_;
      if (row_start_ns(linked_, row) < end && end_of(row) <= end &&
          enqueue_ns(linked_, row) < begin && accepts(row))
        return row;
    }
    return {};
  }

  /// True where some thread recorded an event before the call and before the lane's next row; of
  /// traces without records, where the lane had been given nothing more by the call.
  bool is_recorded(DeviceRowIndex row, const StreamCall& call) const {
    const Ns begin = calls_.begin_ns(call), next = std::min(begin, timeline_.next_given_ns(row));
    if (calls_.records.empty()) return next == begin || call.effect == CallEffect::kSyncEvent;
    const std::size_t at = calls_.records_before(enqueue_ns(linked_, row) + 1);
    return at < calls_.records.size() && calls_.begin_ns(calls_.calls[calls_.records[at]]) <= next;
  }

  /// True where the lane had been given nothing more by the call.
  bool is_last_given(DeviceRowIndex row, const StreamCall& call) const {
    return timeline_.next_given_ns(row) >= calls_.begin_ns(call);
  }

  /// A call that found nothing to wait for is no puzzle if it returned at once.
  bool nothing_pending(const StreamCall& call) const {
    return timeline_.all_done_ns(calls_.begin_ns(call)) <= calls_.begin_ns(call);
  }

  bool add_host_guess(const StreamCall& call, DeviceRowIndex row) {
    if (!row) return nothing_pending(call);
    const Ns return_after = calls_.end_ns(call) - end_of(row);
    const auto recorded = recorded_returns_.find(linked_.device.calls.name[call.call]);
    const auto [least, most] =
        recorded == recorded_returns_.end() ? Returns{0, kCallReturns} : recorded->second;
    if (!has_blocked(call, row) || return_after < least ||
        return_after > std::min(most, kCallReturns))
      return false;
    add_seen(call, row);
    returns_[linked_.device.calls.name[call.call]].push_back(return_after);
    return true;
  }

  /// Where several lanes' recorded work ended inside a call, it was for that after which it
  /// returned as soon as such calls do after work of one lane alone.
  void choose_by_usual_returns() {
    std::map<StringId, std::pair<Ns, Ns>> usual;  // least and most
    for (const auto& [name, returns] : returns_) {
      const auto [least, most] = std::minmax_element(returns.begin(), returns.end());
      if (returns.size() >= kLeastKnownReturns)
        usual[name] = {*least - linked_.clock_resolution_ns, *most + linked_.clock_resolution_ns};
    }
    for (const StreamCallIndex index : ambiguous_) {
      StreamCall& call = calls_.calls[index];
      const auto range = usual.find(linked_.device.calls.name[call.call]);
      if (range == usual.end()) continue;
      const DeviceRowIndex row =
          row_ended_before_return(call, range->second.first, range->second.second);
      if (!row || !has_blocked(call, row)) continue;
      add_seen(call, row);
      call.is_open = false;
    }
  }

  /// The recorded row of the only lane that has one which ended so long before the return.
  DeviceRowIndex row_ended_before_return(const StreamCall& call, Ns least, Ns most) {
    DeviceRowIndex found;
    for (const LaneIndex stream : timeline_.streams) {
      const DeviceRowIndex row = last_ended_inside(stream, call, [&](DeviceRowIndex ended) {
        return call.effect == CallEffect::kSyncEvent ? is_recorded(ended, call)
                                                     : is_last_given(ended, call);
      });
      if (!row) continue;
      const Ns after = calls_.end_ns(call) - end_of(row);
      if (after < least || after > most) continue;
      if (found) return {};
      found = row;
    }
    return looks_left_ == 0 ? DeviceRowIndex() : found;
  }

  bool has_blocked(const StreamCall& call, DeviceRowIndex row) const {
    return end_of(row) - calls_.begin_ns(call) >= kLeastBlocked;
  }

  void add_seen(const StreamCall& call, DeviceRowIndex row) {
    add_row_wait(call, row, Inference::kTiming);
    if (call.call_site != 0) seen_[call.call_site].push_back(row);
  }

  void add_row_wait(const StreamCall& call, DeviceRowIndex row, Inference inference) {
    StreamAction wait;
    wait.kind = StreamActionKind::kHostWaitRow;
    wait.inferred = inference;
    wait.row = row;
    waits_.add_host_wait(wait, call.call);
  }

  /// A call site that always was seen to wait for rows of one call site or one lane waits for
  /// them in the other iterations, too, if they had ended when it returned.
  void add_same_call_sites() {
    CallsBySite open;
    for (const StreamCallIndex index : rows_of(calls_.calls)) {
      const StreamCall& call = calls_.calls[index];
      const bool waits =
          call.effect == CallEffect::kSyncStream || call.effect == CallEffect::kSyncEvent;
      if (call.is_open && waits && seen_.contains(call.call_site))
        open[call.call_site].push_back(index);
    }
    index_sources(open);
    for (const auto& [site, calls] : open) {
      const std::vector<DeviceRowIndex>& seen = seen_[site];
      if (calls_.calls[calls.front()].effect == CallEffect::kSyncStream)
        add_stream_syncs(calls, seen);
      else
        add_event_syncs(calls, seen);
    }
  }

  /// The rows of the call sites that waits were seen to be for, in API order.
  void index_sources(const CallsBySite& open) {
    for (const auto& [site, calls] : open)
      if (const std::uint64_t source = calls_.call_site_of(seen_[site].front()); source != 0)
        rows_at_[source];
    for (const DeviceRowIndex row : linked_.rows_in_api_order)
      if (const auto rows = rows_at_.find(calls_.call_site_of(row)); rows != rows_at_.end())
        rows->second.push_back(row);
  }

  void add_stream_syncs(const std::vector<StreamCallIndex>& calls,
                        const std::vector<DeviceRowIndex>& seen) {
    const LaneIndex lane = linked_.rows.lane[seen.front()];
    for (const DeviceRowIndex row : seen)
      if (linked_.rows.lane[row] != lane) return;
    for (const StreamCallIndex index : calls) {
      StreamCall& call = calls_.calls[index];
      call.is_open = !add_possible_sync(call, lane, Inference::kPlace);
    }
  }

  void add_event_syncs(const std::vector<StreamCallIndex>& calls,
                       const std::vector<DeviceRowIndex>& seen) {
    const std::uint64_t source = calls_.call_site_of(seen.front());
    for (const DeviceRowIndex row : seen)
      if (calls_.call_site_of(row) != source) return;
    if (source == 0) return;
    const std::vector<DeviceRowIndex>& sources = rows_at_[source];
    for (const StreamCallIndex index : calls) {
      StreamCall& call = calls_.calls[index];
      const auto after = std::partition_point(sources.begin(), sources.end(), [&](auto row) {
        return enqueue_ns(linked_, row) < calls_.begin_ns(call);
      });
      if (after == sources.begin()) continue;
      const DeviceRowIndex row = *std::prev(after);
      if (end_of(row) > calls_.end_ns(call) + linked_.clock_resolution_ns) continue;
      add_row_wait(call, row, Inference::kPlace);
      call.is_open = false;
    }
  }

  WaitList& waits_;
  const LinkedTrace& linked_;
  StreamCalls& calls_;
  Diagnostics& diagnostics_;
  const StreamTimeline& timeline_;
  ByRow<Lane, StreamCallIndex> record_of_thread_;  // the last so far
  std::size_t looks_left_;                         // at rows, see kMostLooksOfRow
  std::vector<StreamCallIndex> ambiguous_;         // event synchronisations
  std::map<StringId, std::vector<Ns>> returns_;    // by call name: of guesses
  std::map<StringId, Returns> recorded_returns_;   // by call name
  std::unordered_map<std::uint64_t, std::vector<DeviceRowIndex>> rows_at_;  // by call site
  std::map<std::uint64_t, std::vector<DeviceRowIndex>> seen_;  // by call site: rows waited for
};

}  // namespace

void infer_timed_host_waits(WaitList& waits, const LinkedTrace& linked, StreamCalls& calls,
                            Diagnostics& diagnostics) {
  if (calls.timeline.streams.size() <= kMostStreams)
    TimedHostWaits(waits, linked, calls, diagnostics).run();
}

}  // namespace nadi
