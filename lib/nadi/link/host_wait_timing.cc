
#include "nadi/link/host_wait_timing.h"

#include <algorithm>
#include <limits>
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
        rows_(linked.rows_in_api_order),
        lane_rows_(linked.rows_by_lane),
        tail_(linked.lanes.size()),
        thread_lane_(linked.lanes.size()),
        record_of_thread_(linked.lanes.size()),
        looks_left_(kMostLooksOfRow * rows_.size()) {}

  void run() {
    find_streams();
    find_recorded_returns();
    std::size_t next_row = 0;
    const auto is_wanted = [](const StreamCall& call) {
      return call.is_open || call.effect == CallEffect::kEventRecord;
    };
    for (const StreamCallIndex index : calls_.in_time_order(is_wanted)) {
      StreamCall& call = calls_.calls[index];
      const Ns time = calls_.begin_ns(call);
      for (; next_row < rows_.size() && enqueue_ns(linked_, rows_[next_row]) < time; ++next_row)
        enqueue(rows_[next_row]);
      if (call.effect == CallEffect::kEventRecord) note_record(call);
      if (call.effect == CallEffect::kSyncStream) call.is_open = !guess_stream_sync(call);
      if (call.effect == CallEffect::kSyncEvent) call.is_open = !guess_event_sync(call);
    }
    choose_by_usual_returns();
    add_same_call_sites();
  }

 private:
  using CallsBySite = std::map<std::uint64_t, std::vector<StreamCallIndex>>;
  /// A device lane with rows.
  struct Stream {
    LaneIndex lane;
    std::vector<Ns> least_end;  ///< of its rows, those from each one on
  };
  /// From the end of the work to the return of the call.
  struct Returns {
    Ns least, most;
  };
  struct Record {
    CallIndex call;
    LaneIndex launched_on;  ///< where the thread launched last; none = nowhere yet
    DeviceRowIndex tail;    ///< there, the row that ends last of those enqueued before it
  };

  Ns end_of(DeviceRowIndex row) const { return row_end_ns(linked_, row); }
  LaneIndex thread_of(const StreamCall& call) const { return linked_.calls.lane[call.call]; }

  void find_streams() {
    for (const LaneIndex lane : rows_of(lane_rows_)) {
      const std::vector<DeviceRowIndex>& rows = lane_rows_[lane];
      if (rows.empty()) continue;
      std::vector<Ns> least_end(rows.size());
      Ns least = std::numeric_limits<Ns>::max();
      for (std::size_t i = rows.size(); i-- > 0;)
        least_end[i] = least = std::min(least, end_of(rows[i]));
      streams_.push_back({lane, std::move(least_end)});
    }
    if (streams_.size() == 1) only_lane_ = streams_.front().lane;
  }

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
        return last_given(linked_, wait.lane, wait.time_ns);
      case StreamActionKind::kHostWaitEvent:
        return last_given(linked_, waits_.actions()[wait.record].lane,
                          waits_.actions()[wait.record].time_ns);
      default:
        return {};
    }
  }

  void enqueue(DeviceRowIndex row) {
    DeviceRowIndex& tail = tail_[linked_.rows.lane[row]];
    if (!tail || end_of(row) >= end_of(tail)) tail = row;
    last_end_ = std::max(last_end_, end_of(row));
    if (const LaneIndex thread = linked_.rows.launch_lane[row]) {
      thread_lane_[thread] = linked_.rows.lane[row];
      record_of_thread_[thread].call = {};
    }
  }

  void note_record(const StreamCall& call) {
    record_times_.push_back(calls_.begin_ns(call));
    const LaneIndex thread = thread_of(call);
    const LaneIndex lane = thread_lane_[thread];
    record_of_thread_[thread] = {call.call, lane, lane ? tail_[lane] : DeviceRowIndex()};
  }

  bool ended_inside(DeviceRowIndex row, const StreamCall& call) const {
    return end_of(row) > calls_.begin_ns(call) && end_of(row) <= calls_.end_ns(call);
  }

  /// The one lane whose enqueued work ended inside the call, shortly before it returned.
  bool guess_stream_sync(const StreamCall& call) {
    if (only_lane_) return add_stream_sync(call, only_lane_, Inference::kPattern);
    DeviceRowIndex found;
    for (const Stream& stream : streams_) {
      const DeviceRowIndex tail = tail_[stream.lane];
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
  bool add_stream_sync(const StreamCall& call, LaneIndex lane, Inference inference) {
    const DeviceRowIndex last = last_given(linked_, lane, calls_.begin_ns(call));
    if (last && end_of(last) > calls_.end_ns(call) + linked_.clock_resolution_ns) return false;
    StreamAction wait;
    wait.kind = StreamActionKind::kHostWaitStream;
    wait.lane = lane;
    wait.inferred = inference;
    waits_.add_host_wait(wait, call.call);
    return true;
  }

  /// The one lane with a row that ended inside the call and was the last before a record.
  bool guess_event_sync(const StreamCall& call) {
    const LaneRow recorded = lane_row_ended_inside(
        call, [&](const auto& rows, std::size_t at) { return is_recorded(rows, at, call); });
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
    const Record& record = record_of_thread_[thread_of(call)];
    if (!record.call || !record.launched_on) return false;
    const LaneRow ended =
        lane_row_ended_inside(call, [](const auto&, std::size_t) { return true; });
    if (!ended.is_only_one || !ended.row || ended.row != record.tail) return false;
    if (!has_blocked(call, ended.row)) return false;
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
  /// accepts(rows of the lane, position among them).
  template <class Accepts>
  LaneRow lane_row_ended_inside(const StreamCall& call, const Accepts& accepts) {
    LaneRow found;
    for (const Stream& stream : streams_) {
      const DeviceRowIndex row = last_ended_inside(stream, call, accepts);
      if (!row) continue;
      if (found.row) return {found.row, false};
      found.row = row;
    }
    if (looks_left_ == 0) return {};
    return found;
  }

  template <class Accepts>
  DeviceRowIndex last_ended_inside(const Stream& stream, const StreamCall& call,
                                   const Accepts& accepts) {
    const Ns begin = calls_.begin_ns(call), end = calls_.end_ns(call);
    const std::vector<DeviceRowIndex>& rows = lane_rows_[stream.lane];
    const auto after = std::partition_point(stream.least_end.begin(), stream.least_end.end(),
                                            [&](Ns least) { return least <= end; });
    const auto last = static_cast<std::size_t>(after - stream.least_end.begin());
    const std::size_t first = last - std::min(last, kMostRowsBack);
    for (std::size_t at = last; at-- > first;) {
      const DeviceRowIndex row = rows[at];
      if (end_of(row) <= begin || looks_left_ == 0) return {};
      --looks_left_;
      if (row_start_ns(linked_, row) < end && end_of(row) <= end &&
          enqueue_ns(linked_, row) < begin && accepts(rows, at))
        return row;
    }
    return {};
  }

  /// True where some thread recorded an event before the call and before the lane's next row; of
  /// traces without records, where the lane had been given nothing more by the call.
  bool is_recorded(const std::vector<DeviceRowIndex>& rows, std::size_t at,
                   const StreamCall& call) const {
    const Ns begin = calls_.begin_ns(call);
    const Ns next =
        at + 1 == rows.size() ? begin : std::min(begin, enqueue_ns(linked_, rows[at + 1]));
    if (calls_.records.empty()) return next == begin || call.effect == CallEffect::kSyncEvent;
    const auto record =
        std::upper_bound(record_times_.begin(), record_times_.end(), enqueue_ns(linked_, rows[at]));
    return record != record_times_.end() && *record <= next;
  }

  /// True where the lane had been given nothing more by the call.
  bool is_last_given(const std::vector<DeviceRowIndex>& rows, std::size_t at,
                     const StreamCall& call) const {
    return at + 1 == rows.size() || enqueue_ns(linked_, rows[at + 1]) >= calls_.begin_ns(call);
  }

  /// A call that found nothing to wait for is no puzzle if it returned at once.
  bool nothing_pending(const StreamCall& call) const { return last_end_ <= calls_.begin_ns(call); }

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
    for (const Stream& stream : streams_) {
      const DeviceRowIndex row =
          last_ended_inside(stream, call, [&](const auto& lane, std::size_t at) {
            return call.effect == CallEffect::kSyncEvent ? is_recorded(lane, at, call)
                                                         : is_last_given(lane, at, call);
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
    for (const DeviceRowIndex row : rows_)
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
      call.is_open = !add_stream_sync(call, lane, Inference::kPlace);
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
  const std::vector<DeviceRowIndex>& rows_;                    // API order
  const ByRow<Lane, std::vector<DeviceRowIndex>>& lane_rows_;  // start order
  std::vector<Stream> streams_;
  ByRow<Lane, DeviceRowIndex> tail_;      // of device lanes: enqueued row that ends last
  Ns last_end_ = kNoTime;                 // of the rows enqueued so far
  ByRow<Lane, LaneIndex> thread_lane_;    // of threads: device lane it launched on last
  ByRow<Lane, Record> record_of_thread_;  // since the thread's last launch; else call = none
  std::vector<Ns> record_times_;
  std::size_t looks_left_;                        // at rows, see kMostLooksOfRow
  std::vector<StreamCallIndex> ambiguous_;        // event synchronisations
  std::map<StringId, std::vector<Ns>> returns_;   // by call name: of guesses
  std::map<StringId, Returns> recorded_returns_;  // by call name
  LaneIndex only_lane_;                           // of all device lanes the only one with rows
  std::unordered_map<std::uint64_t, std::vector<DeviceRowIndex>> rows_at_;  // by call site
  std::map<std::uint64_t, std::vector<DeviceRowIndex>> seen_;  // by call site: rows waited for
};

}  // namespace

void infer_timed_host_waits(WaitList& waits, const LinkedTrace& linked, StreamCalls& calls,
                            Diagnostics& diagnostics) {
  if (streams_with_rows(linked) <= kMostStreams)
    TimedHostWaits(waits, linked, calls, diagnostics).run();
}

}  // namespace nadi
