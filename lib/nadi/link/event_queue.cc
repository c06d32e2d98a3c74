#include "nadi/link/event_queue.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "nadi/link/inferred_waits.h"
#include "nadi/model/row_order.h"

namespace nadi {
namespace {

/// A queue is taken to hold so many events at most, and so many of one place of the program.
constexpr std::size_t kMostQueued = 8, kMostQueuedOfPlace = 3;
/// Where there are more streams, no call is compared with what each of them had been given.
constexpr std::size_t kMostStreamsCompared = 64;
/// So often, in the whole trace, a call is compared with what one place recorded.
constexpr std::size_t kMostLooks = 20'000'000;
/// FSDP gathers the parameters of so many modules at a time (`limit_all_gathers`).
constexpr std::size_t kPrefetched = 2;
/// `latest`: a call returns no later after what it waited for. `varies`: what the delays of several
/// calls may differ by.
struct Returns {
  Ns latest, varies;
};
constexpr Returns kOfEvent{200'000, 20'000}, kOfStream{20'000, 5'000};

/// How what calls are taken to wait for agrees with when they returned.
struct Fit {
  ClassCounts counts;     ///< of calls of which it is recorded, or that blocked, or loops
  bool is_steady = true;  ///< the calls that blocked all returned as late
};
constexpr Fit kContradicted{{1, 0, 1}};

class EventQueues {
 public:
  EventQueues(WaitList& waits, const LinkedTrace& linked, const StreamCalls& calls,
              const CallDecisions& decisions)
      : waits_(waits), linked_(linked), calls_(calls), decisions_(decisions) {}

  void run() {
    std::map<std::uint64_t, std::vector<StreamCallIndex>> by_path;
    for (const StreamCallIndex wait : rows_of(calls_.calls))
      if (is_wanted(wait)) by_path[calls_.calls[wait].path];
    if (by_path.empty()) return;
    find_known();
    for (const StreamCallIndex wait : rows_of(calls_.calls))
      if (is_wanted(wait) || known_.contains(wait))
        if (const auto waits = by_path.find(calls_.calls[wait].path); waits != by_path.end())
          waits->second.push_back(wait);
    find_queue();
    find_queues_of_places();
    for (const auto& [path, waits] : by_path)
      if (is_of_stream(waits) || !(add_evident(waits) || add_limit_of_prefetches(waits)))
        add_evident_of_places(waits);
  }

 private:
  bool is_wanted(StreamCallIndex wait) const {
    const StreamCall& call = calls_.calls[wait];
    return waits_.is_open(call.call) && is_wait_of_host(call);
  }

  using Place = StreamCalls::Place;

  /// What a lane had been given when an event was recorded, or when the host waited for it.
  struct Recorded {
    StreamCallIndex call;
    LaneIndex lane;
    Ns time_ns;
    bool operator==(const Recorded&) const = default;
  };

  /// What is recorded of synchronisations.
  void find_known() {
    for (const StreamAction& wait : waits_.actions()) {
      const StreamCallIndex call = calls_.of(wait.call);
      if (is_guess(wait.inferred) || !call) continue;
      if (wait.kind == StreamActionKind::kHostWaitStream) {
        known_[call] = {call, wait.lane, calls_.begin_ns(calls_.calls[call])};
      } else if (wait.kind == StreamActionKind::kHostWaitEvent) {
        const StreamAction& record = waits_.actions()[wait.record];
        if (const StreamCallIndex recorded = calls_.of(record.call))
          known_[call] = {recorded, record.lane, record.time_ns};
      }
    }
  }

  /// Events that no stream is known to wait for, in the order of their records. Where the trace has
  /// no records (K26), FSDP's: recorded behind a module, right before the same thread waits for the
  /// next one's parameters.
  void find_queue() {
    for (const StreamCallIndex record : calls_.records)
      if (const StreamCall& call = calls_.calls[record]; !call.comm_op && !is_for_stream(record))
        queue_.push_back({record, decisions_.stream_before[record], calls_.begin_ns(call)});
    if (!calls_.records.empty()) return;
    LaneIndex thread;
    for (const StreamCallIndex wait : calls_.stream_waits) {
      const StreamCall& call = calls_.calls[wait];
      if (!decisions_.uses.contains(wait)) continue;
      const bool is_next = linked_.calls.lane[call.call] == thread;
      queue_.push_back(
          {wait, is_next ? call.stream_after : LaneIndex(), calls_.begin_ns(call) - 1});
      thread = linked_.calls.lane[call.call];
    }
  }

  /// Events of each place of the program; where the trace has no records (K26) there may be one
  /// behind each launch.
  void find_queues_of_places() {
    if (calls_.records.empty())
      for (const StreamCallIndex launch : calls_.in_time_order(is_launch)) {
        const StreamCall& call = calls_.calls[launch];
        const LaneIndex lane = linked_.rows.lane[call.row];
        // Instead of the call before it the stream.
        queue_of_place_[{call.path, lane.value}].push_back(
            {launch, lane, enqueue_ns(linked_, call.row) + 1});
      }
    for (const StreamCallIndex record : calls_.records) {
      const StreamCall& call = calls_.calls[record];
      if (const LaneIndex lane = decisions_.stream_before[record])
        queue_of_place_[calls_.place_of(record)].push_back({record, lane, calls_.begin_ns(call)});
    }
    std::erase_if(queue_of_place_, [](const auto& place) {
      return place.second.size() < info(Hypothesis::kEventByPosition).least;
    });
  }

  bool is_for_stream(StreamCallIndex record) const {
    if (calls_.is_of_one_thread(record, record - 1) && decisions_.prefetches.contains(record - 1))
      return true;
    if (!calls_.is_of_one_thread(record, record + 1)) return false;
    const StreamCall& next = calls_.calls[record + 1];
    return next.effect == CallEffect::kStreamWaitEvent && !decisions_.uses.contains(record + 1) &&
           calls_.recorded_before(record + 1) == calls_.calls[record].call;
  }

  /// Of each call what it would have waited for; of no lane = unknown.
  using Sources = std::vector<Recorded>;

  /// The last of the queue before each call, or so many before that.
  Sources by_position(const std::vector<StreamCallIndex>& waits, const std::vector<Recorded>& queue,
                      std::size_t position) const {
    Sources sources;
    for (const StreamCallIndex wait : waits) {
      const std::size_t before = count_before(queue, wait);
      sources.push_back(before >= position ? queue[before - position] : Recorded{});
    }
    return sources;
  }

  /// One after the other, as from a queue: the first call for what by_position says.
  Sources in_turn(const std::vector<StreamCallIndex>& waits, const std::vector<Recorded>& queue,
                  std::size_t position) const {
    std::size_t next = count_before(queue, waits.front());
    if (next < position) return {};
    next -= position;
    Sources sources;
    for (const StreamCallIndex wait : waits) {
      if (next >= count_before(queue, wait)) return {};
      sources.push_back(queue[next++]);
    }
    return sources;
  }

  /// All that one stream had been given by then.
  Sources of_stream(const std::vector<StreamCallIndex>& waits, LaneIndex lane) const {
    Sources sources;
    for (const StreamCallIndex wait : waits)
      sources.push_back({wait, lane, calls_.begin_ns(calls_.calls[wait])});
    return sources;
  }

  /// Calls of one path are of one name.
  bool is_of_stream(const std::vector<StreamCallIndex>& waits) const {
    return calls_.calls[waits.front()].effect == CallEffect::kSyncStream;
  }

  std::size_t count_before(const std::vector<Recorded>& queue, StreamCallIndex wait) const {
    const StreamCall& call = calls_.calls[wait];
    const auto after =
        std::partition_point(queue.begin(), queue.end(), [&](const Recorded& recorded) {
          return call.is_loop() ? recorded.time_ns < call.asked_since_ns
                                : calls_.is_earlier(recorded.call, wait);
        });
    return static_cast<std::size_t>(after - queue.begin());
  }

  /// When the work that the event is behind had ended.
  Ns done_ns(const Recorded& recorded) const {
    return calls_.timeline.last_given_done_ns(recorded.lane, recorded.time_ns);
  }

  /// What calls waited for, and why that is taken to be so.
  struct Evident {
    Sources sources;
    Hypothesis why = Hypothesis::kEventByPosition;
  };

  /// Returns what the calls evidently waited for. If several fit, it is the one that ended last for
  /// every call, since the others merely came before it. Empty = nothing fits, or of several none
  /// ended last for every call.
  Evident latest_evident(const std::vector<StreamCallIndex>& waits) {
    Evident latest;
    std::vector<Ns> done(waits.size(), kNoTime);  // of all that is evident the latest
    const auto look_at = [&](Hypothesis why, Sources sources) {
      if (sources.empty() || !linked_.hypotheses.hold(why, fit(why, waits, sources).counts)) return;
      bool is_latest = true;
      for (std::size_t i = 0; i < waits.size(); ++i) {
        const Ns its = sources[i].lane ? done_ns(sources[i]) : kNoTime;
        is_latest = is_latest && its >= done[i];
        if (its <= done[i]) continue;
        done[i] = its;
        latest.sources.clear();
      }
      if (is_latest && latest.sources.empty()) latest = {std::move(sources), why};
    };
    if (is_of_stream(waits)) {
      if (calls_.timeline.streams.size() > kMostStreamsCompared) return {};
      for (const LaneIndex stream : calls_.timeline.streams) {
        looks_ += waits.size();
        if (looks_ > kMostLooks) return {};
        look_at(Hypothesis::kSyncsOneStream, of_stream(waits, stream));
      }
      return latest;
    }
    // What is taken in turn is all taken; other queues keep what is never waited for.
    for (const auto& [place, queue] : queue_of_place_) {
      const bool is_as_long =
          queue.size() >= waits.size() && queue.size() <= waits.size() + kMostQueued;
      looks_ += is_as_long ? waits.size() * kMostQueued : 1;
      if (looks_ > kMostLooks) break;
      if (!is_as_long) continue;
      for (std::size_t position = 1; position <= kMostQueued; ++position)
        look_at(Hypothesis::kEventInTurn, in_turn(waits, queue, position));
    }
    if (!latest.sources.empty()) return latest;
    done.assign(waits.size(), kNoTime);
    for (std::size_t position = 1; position <= kMostQueued; ++position)
      look_at(Hypothesis::kEventByPosition, by_position(waits, queue_, position));
    for (const auto& [place, queue] : queue_of_place_) {
      looks_ += waits.size() * kMostQueuedOfPlace;
      if (looks_ > kMostLooks) break;
      for (std::size_t position = 1; position <= kMostQueuedOfPlace; ++position)
        look_at(Hypothesis::kEventByPosition, by_position(waits, queue, position));
    }
    return latest;
  }

  bool add_evident(const std::vector<StreamCallIndex>& waits) {
    const Evident evident = latest_evident(waits);
    add(waits, evident.sources, info(evident.why).inferred);
    return !evident.sources.empty();
  }

  /// Outside every op many lines of the program are one path, and several synchronise with streams.
  void add_evident_of_places(const std::vector<StreamCallIndex>& waits) {
    std::map<Place, std::vector<StreamCallIndex>> by_place;
    for (const StreamCallIndex wait : waits) by_place[calls_.place_of(wait)].push_back(wait);
    for (const auto& [place, waits_at] : by_place) add_evident(waits_at);
  }

  /// FSDP's limit: most of the calls stand right before the communication that gathers more. Known
  /// without calls that blocked.
  bool add_limit_of_prefetches(const std::vector<StreamCallIndex>& waits) {
    if (decisions_.prefetches.empty()) return false;
    const auto is_before_communication = [&](StreamCallIndex wait) {
      return calls_.is_of_one_thread(wait, wait + 1) && calls_.calls[wait + 1].comm_op;
    };
    const auto before = static_cast<std::size_t>(
        std::count_if(waits.begin(), waits.end(), is_before_communication));
    const Sources prefetched = by_position(waits, queue_, kPrefetched);
    const Fit fits = fit(Hypothesis::kEventByPosition, waits, prefetched);
    const std::size_t contradicted = fits.is_steady ? fits.counts.contradicted : waits.size();
    if (!linked_.hypotheses.hold(Hypothesis::kPrefetchLimit, {waits.size(), before, contradicted}))
      return false;
    add(waits, prefetched, info(Hypothesis::kPrefetchLimit).inferred);
    return true;
  }

  /// The first contradiction is enough.
  Fit fit(Hypothesis why, const std::vector<StreamCallIndex>& waits, const Sources& sources) const {
    std::size_t blocked = 0, loops = 0, known = 0;
    const Returns returns = is_of_stream(waits) ? kOfStream : kOfEvent;
    Ns least = returns.latest, most = 0;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (!sources[i].lane) continue;
      if (const auto recorded = known_.find(waits[i]); recorded != known_.end()) {
        if (recorded->second != sources[i]) return kContradicted;
        ++known;
        continue;
      }
      const StreamCall& call = calls_.calls[waits[i]];
      const Ns begin = calls_.begin_ns(call), end = calls_.end_ns(call), done = done_ns(sources[i]);
      if (done > end + linked_.clock_resolution_ns) return kContradicted;
      if (call.is_loop()) {
        if (done < call.not_done_ns - returns.varies) return kContradicted;
        if (end - call.not_done_ns > returns.latest) continue;  // it asked too seldom to say
        ++loops;
        continue;
      }
      if (end - begin < info(why).evident_ns) continue;
      if (done < begin + kLeastBlocked) return kContradicted;
      ++blocked;
      least = std::min(least, end - done);
      most = std::max(most, end - done);
    }
    const bool is_steady =
        blocked == 0 || (most <= returns.latest && most - least <= returns.varies);
    const std::size_t shown = std::max({loops, known, is_steady ? blocked : 0});
    return {{shown, shown}, is_steady};
  }

  void add(const std::vector<StreamCallIndex>& waits, const Sources& sources, Inference inference) {
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const auto& [record, lane, time] = sources[i];
      if (!lane || known_.contains(waits[i])) continue;
      const StreamCall& call = calls_.calls[waits[i]];
      waits_.close(call.call);
      const bool is_nothing_new = i > 0 && record == sources[i - 1].call;
      if (is_nothing_new) continue;
      if (call.effect == CallEffect::kSyncStream) {
        add_stream_sync(waits_, call.call, lane, inference);
        continue;
      }
      WaitSource source = given_by(linked_, lane, calls_.calls[record].call);
      source.time_ns = time;
      add_event_wait(waits_, call.call, source, inference);
    }
  }

  WaitList& waits_;
  const LinkedTrace& linked_;
  const StreamCalls& calls_;
  const CallDecisions& decisions_;
  std::unordered_map<StreamCallIndex, Recorded> known_;
  std::vector<Recorded> queue_;
  std::map<Place, std::vector<Recorded>> queue_of_place_;
  std::size_t looks_ = 0;
};

}  // namespace

void infer_queued_event_waits(WaitList& waits, const LinkedTrace& linked, const StreamCalls& calls,
                              const CallDecisions& decisions) {
  EventQueues(waits, linked, calls, decisions).run();
}

}  // namespace nadi
