#include "nadi/link/host_wait_timing.h"

#include <algorithm>
#include <cmath>
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
constexpr std::size_t kMostTimedStreams = 256, kMostRowsBack = 4'096, kMostLooksOfRow = 64;

/// Guesses in one pass, in API order, what calls waited for where no sync row says it (K20). A call
/// waited for the work of a lane that ended inside it, shortly before it returned, if no other
/// lane's did; a call that waits for a stream also where that of other lanes had ended before that
/// work began. A wait for an event may return long after the work has ended (K28): then the thread
/// must have recorded an event right behind that very work.
class TimedHostWaits {
 public:
  TimedHostWaits(WaitList& waits, const LinkedTrace& linked, const StreamCalls& calls,
                 Diagnostics& diagnostics)
      : waits_(waits),
        linked_(linked),
        calls_(calls),
        diagnostics_(diagnostics),
        timeline_(calls.timeline),
        record_of_thread_(linked.lanes.size()),
        looks_left_(kMostLooksOfRow * linked.rows.size()) {}

  void run() {
    const auto is_wanted = [&](const StreamCall& call) {
      return waits_.is_open(call.call) || call.effect == CallEffect::kEventRecord;
    };
    for (const StreamCallIndex index : calls_.in_time_order(is_wanted)) {
      const StreamCall& call = calls_.calls[index];
      if (call.effect == CallEffect::kEventRecord) record_of_thread_[thread_of(call)] = index;
      const bool is_found =
          (call.effect == CallEffect::kSyncStream && guess_stream_sync(call)) ||
          (call.effect == CallEffect::kSyncEvent && guess_event_sync(call, index));
      if (is_found) waits_.close(call.call);
    }
    add_longest_of_paths();
    add_same_call_sites();
  }

 private:
  static constexpr auto kAtSite = Hypothesis::kReturnsAtSite;
  /// A wait for an event; the row, if any, that ended inside it.
  struct EventSync {
    StreamCallIndex call;
    DeviceRowIndex ended;
  };
  using CallsBySite = std::map<std::uint64_t, std::vector<StreamCallIndex>>;
  Ns end_of(DeviceRowIndex row) const { return row_end_ns(linked_, row); }
  LaneIndex thread_of(const StreamCall& call) const { return linked_.calls.lane[call.call]; }

  bool ended_inside(DeviceRowIndex row, const StreamCall& call) const {
    return end_of(row) > calls_.begin_ns(call) && end_of(row) <= calls_.end_ns(call);
  }

  /// The one lane whose enqueued work ended inside the call, shortly before it returned; of several
  /// the one whose last row began behind the ends of all others: it may itself have waited for
  /// them.
  bool guess_stream_sync(const StreamCall& call) {
    if (timeline_.streams.size() == 1)
      return linked_.hypotheses.has(Hypothesis::kOnlyStream) &&
             add_possible_sync(call, timeline_.streams.front(), Hypothesis::kOnlyStream);
    DeviceRowIndex last;      // the one that began last
    Ns others_end = kNoTime;  // when the last of the others ended
    for (const LaneIndex stream : timeline_.streams) {
      DeviceRowIndex tail = timeline_.last_to_end(stream, calls_.begin_ns(call));
      if (!tail || !ended_inside(tail, call) || calls_.end_ns(call) - end_of(tail) > kCallReturns)
        continue;
      if (!last || row_start_ns(linked_, tail) > row_start_ns(linked_, last)) std::swap(last, tail);
      if (tail) others_end = std::max(others_end, end_of(tail));
    }
    if (last && others_end > row_start_ns(linked_, last)) return false;
    return add_host_guess(call, last);
  }

  /// All the lane had been given ended by the call's return.
  bool add_possible_sync(const StreamCall& call, LaneIndex lane, Hypothesis why) {
    const DeviceRowIndex last = timeline_.last_given(lane, calls_.begin_ns(call));
    if (last && end_of(last) > calls_.end_ns(call) + linked_.clock_resolution_ns) return false;
    add_stream_sync(waits_, call.call, lane, info(why).inferred);
    return true;
  }

  /// The one lane with a row that ended inside the call and was the last before a record; of traces
  /// without records any row may have been (K26).
  bool guess_event_sync(const StreamCall& call, StreamCallIndex index) {
    const LaneRow recorded = lane_row_ended_inside(call, [&](DeviceRowIndex row) {
      return calls_.records.empty() || calls_.has_record_behind(row, calls_.begin_ns(call));
    });
    if (!recorded.is_only_one) return false;
    event_syncs_[call.path].push_back({index, recorded.row});
    return add_host_guess(call, recorded.row) || guess_late_return(call);
  }

  /// A call that waits for an interrupt returns long after its work has ended (K28): that work is
  /// what the thread recorded an event behind, if no other lane's work ended inside the call.
  bool guess_late_return(const StreamCall& call) {
    if (!linked_.hypotheses.has(Hypothesis::kReturnsLate)) return false;
    const StreamCallIndex record = record_of_thread_[thread_of(call)];
    const DeviceRowIndex launched = timeline_.last_launched(thread_of(call), calls_.begin_ns(call));
    if (!record || !launched) return false;
    const Ns recorded = calls_.begin_ns(calls_.calls[record]);
    if (enqueue_ns(linked_, launched) >= recorded) return false;
    const LaneRow ended = lane_row_ended_inside(call, [](DeviceRowIndex) { return true; });
    if (!ended.is_only_one || !ended.row ||
        !has_blocked(Hypothesis::kReturnsLate, call, ended.row) ||
        ended.row != timeline_.last_to_end(linked_.rows.lane[launched], recorded))
      return false;
    add_seen(Hypothesis::kReturnsLate, call, ended.row);
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

  /// A call that found nothing to wait for is no puzzle if it returned at once.
  bool nothing_pending(const StreamCall& call) const {
    return timeline_.all_done_ns(calls_.begin_ns(call)) <= calls_.begin_ns(call);
  }

  bool add_host_guess(const StreamCall& call, DeviceRowIndex row) {
    constexpr auto kWhy = Hypothesis::kReturnsWithWork;
    if (!row) return nothing_pending(call);
    if (!linked_.hypotheses.has(kWhy) || !has_blocked(kWhy, call, row) ||
        calls_.end_ns(call) - end_of(row) > kCallReturns)
      return false;
    add_seen(kWhy, call, row);
    return true;
  }

  bool has_blocked(Hypothesis why, const StreamCall& call, DeviceRowIndex row) const {
    return end_of(row) - calls_.begin_ns(call) >= info(why).evident_ns;
  }

  void add_seen(Hypothesis why, const StreamCall& call, DeviceRowIndex row) {
    waits_.add_row_wait(call.call, row, info(why).inferred);
    if (call.call_site != 0) seen_[call.call_site].push_back(row);
  }

  /// Calls of a path that returned too soon to show by themselves that they blocked: that work
  /// ended inside just the longest of them is no chance.
  void add_longest_of_paths() {
    for (auto& [path, calls] : event_syncs_) {
      const auto length = [&](const EventSync& one) {
        return calls_.end_ns(calls_.calls[one.call]) - calls_.begin_ns(calls_.calls[one.call]);
      };
      const auto blocked = std::partition(calls.begin(), calls.end(),
                                          [](const EventSync& one) { return one.ended; });
      const auto is_shorter = [&](const EventSync& a, const EventSync& b) {
        return length(a) < length(b);
      };
      if (blocked == calls.begin()) continue;
      const Ns least = length(*std::min_element(calls.begin(), blocked, is_shorter));
      const auto longer = std::count_if(blocked, calls.end(),
                                        [&](const EventSync& one) { return length(one) >= least; });
      const auto seen = static_cast<std::size_t>(blocked - calls.begin());
      const ClassCounts counts{calls.size(), seen, static_cast<std::size_t>(longer),
                               log_chance_of_just(seen, calls.size())};
      if (!linked_.hypotheses.hold(Hypothesis::kLongestOfPath, counts)) continue;
      for (auto one = calls.begin(); one != blocked; ++one) {
        const StreamCall& call = calls_.calls[one->call];
        if (!waits_.is_open(call.call)) continue;
        add_seen(Hypothesis::kLongestOfPath, call, one->ended);
        waits_.close(call.call);
      }
    }
  }

  /// The logarithm of the chance that so many drawn of all are just these.
  static double log_chance_of_just(std::size_t so_many, std::size_t all) {
    double log_chance = 0;
    for (std::size_t i = 1; i <= so_many; ++i)
      log_chance += std::log(static_cast<double>(i) / static_cast<double>(all - so_many + i));
    return log_chance;
  }

  /// If the calls of one site were always seen to wait for rows of one call site (or one stream),
  /// its other calls waited for such rows, too, provided that these had ended when the call
  /// returned.
  void add_same_call_sites() {
    CallsBySite open;
    for (const StreamCallIndex index : rows_of(calls_.calls)) {
      const StreamCall& call = calls_.calls[index];
      const bool waits =
          call.effect == CallEffect::kSyncStream || call.effect == CallEffect::kSyncEvent;
      if (waits_.is_open(call.call) && waits && seen_.contains(call.call_site))
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
    if (!hold_for_all(seen, [&](DeviceRowIndex row) { return linked_.rows.lane[row] == lane; }))
      return;
    for (const StreamCallIndex index : calls) {
      const StreamCall& call = calls_.calls[index];
      if (add_possible_sync(call, lane, kAtSite)) waits_.close(call.call);
    }
  }

  /// What the calls of a site were seen to wait for is all alike.
  template <class IsAlike>
  bool hold_for_all(const std::vector<DeviceRowIndex>& seen, const IsAlike& is_alike) const {
    const auto alike = static_cast<std::size_t>(std::count_if(seen.begin(), seen.end(), is_alike));
    return linked_.hypotheses.hold(kAtSite, {seen.size(), alike, seen.size() - alike});
  }

  void add_event_syncs(const std::vector<StreamCallIndex>& calls,
                       const std::vector<DeviceRowIndex>& seen) {
    const std::uint64_t source = calls_.call_site_of(seen.front());
    if (source == 0 ||
        !hold_for_all(seen, [&](DeviceRowIndex row) { return calls_.call_site_of(row) == source; }))
      return;
    const std::vector<DeviceRowIndex>& sources = rows_at_[source];
    for (const StreamCallIndex index : calls) {
      const StreamCall& call = calls_.calls[index];
      const auto after = std::partition_point(sources.begin(), sources.end(), [&](auto row) {
        return enqueue_ns(linked_, row) < calls_.begin_ns(call);
      });
      if (after == sources.begin()) continue;
      const DeviceRowIndex row = *std::prev(after);
      if (end_of(row) > calls_.end_ns(call) + linked_.clock_resolution_ns) continue;
      waits_.add_row_wait(call.call, row, info(kAtSite).inferred);
      waits_.close(call.call);
    }
  }

  WaitList& waits_;
  const LinkedTrace& linked_;
  const StreamCalls& calls_;
  Diagnostics& diagnostics_;
  const StreamTimeline& timeline_;
  ByRow<Lane, StreamCallIndex> record_of_thread_;  // the last so far
  std::size_t looks_left_;                         // at rows, see kMostLooksOfRow
  std::unordered_map<std::uint64_t, std::vector<DeviceRowIndex>> rows_at_;  // by call site
  std::map<std::uint64_t, std::vector<EventSync>> event_syncs_;             // by path
  std::map<std::uint64_t, std::vector<DeviceRowIndex>> seen_;  // by call site: rows waited for
};

}  // namespace

void infer_timed_host_waits(WaitList& waits, const LinkedTrace& linked, const StreamCalls& calls,
                            Diagnostics& diagnostics) {
  if (calls.timeline.streams.size() <= kMostTimedStreams)
    TimedHostWaits(waits, linked, calls, diagnostics).run();
}

}  // namespace nadi
