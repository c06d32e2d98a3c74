#include <algorithm>
#include <map>
#include <vector>

#include "nadi/link/inferred_waits.h"
#include "nadi/link/waits.h"
#include "nadi/model/row_order.h"

namespace nadi {
namespace {

/// So many events at most are on their way in such a queue.
constexpr std::size_t kMostQueued = 8;
/// So many calls that blocked must have waited for the event of one place in the queue.
constexpr std::size_t kLeastBlockedCalls = 3;
/// So many waits of a lane since its last row are looked at.
constexpr int kMostLaneWaits = 64;
/// FSDP gathers the parameters of so many modules at a time (`limit_all_gathers`).
constexpr std::size_t kPrefetched = 2;
/// After its event such a call returns within this, and always within as much of the same time.
constexpr Ns kLatestReturn = 200'000, kReturnVaries = 20'000;

/// A wait of a lane, and when what it waits for had ended.
struct LaneWait {
  Ns time_ns, done_ns;
};

class EventQueues {
 public:
  EventQueues(WaitList& waits, const LinkedTrace& linked, StreamCalls& calls)
      : waits_(waits), linked_(linked), calls_(calls) {}

  void run() {
    std::map<std::uint64_t, std::vector<std::uint32_t>> by_path;
    for (std::uint32_t place = 0; place < calls_.calls.size(); ++place) {
      const StreamCall& call = calls_.calls[place];
      if (call.is_open && call.kind == CallKind::kSyncEvent && call.path != 0)
        by_path[call.path].push_back(place);
    }
    if (by_path.empty()) return;
    has_prefetches_ = std::any_of(calls_.calls.begin(), calls_.calls.end(),
                                  [](const StreamCall& call) { return call.is_prefetch; });
    find_queue();
    find_lane_waits();
    for (const auto& [path, waits] : by_path) {
      if (const std::size_t place = place_in_queue(waits); place != 0)
        add(waits, place, Inference::kPlace);
      else if (limits_prefetches(waits) && fits(waits, kPrefetched).is_possible)
        add(waits, kPrefetched, Inference::kPattern);
    }
  }

 private:
  /// What a lane had been given when an event was recorded.
  struct Recorded {
    std::uint32_t call;  ///< a place in StreamCalls::calls
    LaneIndex lane;
    Ns time_ns;
  };

  /// Events that no stream is known to wait for, in the order of their records. Where the trace has
  /// no records (K26), FSDP's: recorded behind a module, right before the same thread waits for the
  /// next one's parameters.
  void find_queue() {
    for (const std::uint32_t record : calls_.records)
      if (const StreamCall& call = calls_.calls[record];
          call.comm_op == kNoIndex && !is_for_stream(record))
        queue_.push_back({record, call.stream_before, calls_.begin_ns(call)});
    if (!calls_.records.empty()) return;
    LaneIndex thread;
    for (const std::uint32_t wait : calls_.stream_waits) {
      const StreamCall& call = calls_.calls[wait];
      if (!call.is_use) continue;
      const bool is_next = linked_.calls.lane[call.call] == thread;
      queue_.push_back(
          {wait, is_next ? call.stream_after : LaneIndex(), calls_.begin_ns(call) - 1});
      thread = linked_.calls.lane[call.call];
    }
  }

  bool is_for_stream(std::uint32_t record) const {
    if (is_of_one_thread(record, record - 1) && calls_.calls[record - 1].is_prefetch) return true;
    if (!is_of_one_thread(record, record + 1)) return false;
    const StreamCall& next = calls_.calls[record + 1];
    return next.kind == CallKind::kStreamWaitEvent && !next.is_use &&
           calls_.recorded_before(record + 1) == calls_.calls[record].call;
  }

  /// Both are places in StreamCalls::calls, the second maybe outside.
  bool is_of_one_thread(std::uint32_t a, std::uint32_t b) const {
    return b < calls_.calls.size() &&
           linked_.calls.lane[calls_.calls[a].call] == linked_.calls.lane[calls_.calls[b].call];
  }

  void find_lane_waits() {
    lane_waits_.resize(linked_.lanes.size());
    for (const StreamAction& wait : waits_.actions()) {
      if (wait.kind != StreamActionKind::kStreamWaitEvent || !wait.lane) continue;
      const StreamAction& record = waits_.actions()[wait.record];
      const std::uint32_t source = last_given(linked_, record.lane, record.time_ns + 1);
      if (source != kNoIndex)
        lane_waits_[wait.lane.value].push_back({wait.time_ns, row_end_ns(linked_, source)});
    }
    for (auto& waits : lane_waits_)
      std::sort(waits.begin(), waits.end(),
                [](const LaneWait& a, const LaneWait& b) { return a.time_ns < b.time_ns; });
  }

  /// What the call waits for if it is the place-th last of the queue; nullptr = unknown.
  const Recorded* recorded_before(std::uint32_t wait, std::size_t place) const {
    const auto after = std::partition_point(
        queue_.begin(), queue_.end(),
        [&](const Recorded& recorded) { return calls_.is_earlier(recorded.call, wait); });
    if (static_cast<std::size_t>(after - queue_.begin()) < place) return nullptr;
    const Recorded& recorded = *(after - static_cast<std::ptrdiff_t>(place));
    return recorded.lane ? &recorded : nullptr;
  }

  /// When all that the event is behind had ended.
  Ns done_ns(const Recorded& recorded) const {
    const auto& [call, lane, time] = recorded;
    const std::uint32_t row = last_given(linked_, lane, time);
    Ns done = row == kNoIndex ? kNoTime : row_end_ns(linked_, row);
    const auto& waits = lane_waits_[lane.value];
    auto wait =
        std::partition_point(waits.begin(), waits.end(),
                             [&, at = time](const LaneWait& one) { return one.time_ns < at; });
    const Ns from = row == kNoIndex ? kNoTime : enqueue_ns(linked_, row);
    for (int i = 0; i < kMostLaneWaits && wait != waits.begin() && (--wait)->time_ns >= from; ++i)
      done = std::max(done, wait->done_ns);
    return done;
  }

  /// 1 = the last event, 2 = the one before, …; 0 = none, or several, fit all calls.
  std::size_t place_in_queue(const std::vector<std::uint32_t>& waits) const {
    std::size_t found = 0;
    for (std::size_t place = 1; place <= kMostQueued; ++place) {
      if (!fits(waits, place).is_evident) continue;
      if (found != 0) return 0;
      found = place;
    }
    return found;
  }

  struct Fit {
    bool is_possible = false;  ///< no call contradicts it
    bool is_evident = false;   ///< and calls that blocked returned as late as it says
  };

  Fit fits(const std::vector<std::uint32_t>& waits, std::size_t place) const {
    std::size_t blocked = 0;
    Ns least = kLatestReturn, most = 0;
    for (const std::uint32_t wait : waits) {
      const Recorded* recorded = recorded_before(wait, place);
      if (recorded == nullptr) continue;
      const StreamCall& call = calls_.calls[wait];
      const Ns begin = calls_.begin_ns(call), end = calls_.end_ns(call), done = done_ns(*recorded);
      if (done > end + linked_.clock_resolution_ns) return {};
      if (end - begin < kLongCall) continue;
      if (done < begin + kLeastBlocked) return {};
      ++blocked;
      least = std::min(least, end - done);
      most = std::max(most, end - done);
    }
    const bool is_steady = most <= kLatestReturn && most - least <= kReturnVaries;
    return {blocked == 0 || is_steady, blocked >= kLeastBlockedCalls && is_steady};
  }

  /// FSDP's limit: most of the calls stand right before the communication that gathers more.
  bool limits_prefetches(const std::vector<std::uint32_t>& waits) const {
    const auto is_before_communication = [&](std::uint32_t wait) {
      return is_of_one_thread(wait, wait + 1) && calls_.calls[wait + 1].comm_op != kNoIndex;
    };
    const auto count = std::count_if(waits.begin(), waits.end(), is_before_communication);
    return has_prefetches_ && 2 * static_cast<std::size_t>(count) > waits.size();
  }

  void add(const std::vector<std::uint32_t>& waits, std::size_t place, Inference inference) {
    for (const std::uint32_t wait : waits) {
      const Recorded* recorded = recorded_before(wait, place);
      if (recorded == nullptr) continue;
      WaitSource source = given_by(linked_, recorded->lane, calls_.calls[recorded->call].call);
      source.time_ns = recorded->time_ns;
      add_event_wait(waits_, calls_.calls[wait].call, source, inference);
      calls_.calls[wait].is_open = false;
    }
  }

  WaitList& waits_;
  const LinkedTrace& linked_;
  StreamCalls& calls_;
  bool has_prefetches_ = false;
  std::vector<Recorded> queue_;
  std::vector<std::vector<LaneWait>> lane_waits_;  // by lane, in time order
};

}  // namespace

void infer_queued_event_waits(WaitList& waits, const LinkedTrace& linked, StreamCalls& calls) {
  EventQueues(waits, linked, calls).run();
}

}  // namespace nadi
