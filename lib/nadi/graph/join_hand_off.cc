#include "nadi/graph/join_hand_off.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "nadi/base/sort_rows.h"

namespace nadi {
namespace {

/// Times that differ by no more than this are as steady.
constexpr Ns kLeastVaries = 2'000;
/// One of them must go on so many times more steadily after another than after its own last work.
constexpr Ns kSteadierThanIdle = 2;
/// So many times in all a thread is looked for in gaps of another.
constexpr std::size_t kMostLooksForRuns = 20'000'000;

/// What a thread does in a gap of another.
struct Run {
  LaneIndex lane;             ///< of the thread that works
  ActivityIndex first, last;  ///< of that lane
  ActivityIndex next;         ///< of the thread that waits: what it goes on with
};
/// Of one thread, in gaps of one place of another.
using Runs = std::vector<Run>;

/// Of a thread that goes on again and again.
struct Times {
  std::vector<Ns> times;
  std::vector<Ns> lags;  ///< since what other threads did
  std::vector<Ns> idle;  ///< since what it did itself

  /// How likely it is chance that the lags are so alike.
  ClassCounts counts() const {
    const auto others = static_cast<double>(times.size() - 1);
    const double width = static_cast<double>(std::max(kLeastVaries, range_of(lags)));
    const double period = static_cast<double>(times.back() - times.front()) / others;
    return {times.size(), times.size(), 0,
            width < period ? others * std::log(width / period) : 0.0};
  }
  /// Otherwise it may just take so long itself.
  bool are_steadier_than_idle() const {
    return range_of(lags) * kSteadierThanIdle <= range_of(idle);
  }

  static Ns range_of(const std::vector<Ns>& some) {
    const auto [least, most] = std::minmax_element(some.begin(), some.end());
    return *most - *least;
  }
};

class JoinedThreads {
 public:
  JoinedThreads(const Activities& activities, const Hypotheses& hypotheses, EdgeList& edges)
      : activities_(activities), hypotheses_(hypotheses), edges_(edges) {}

  /// Returns whether there are any.
  bool run() {
    find_starters();
    for (const auto& [place, threads] : started_) join(place.lane, threads);
    return found_;
  }

 private:
  /// Gaps of a thread between the same two places of its program.
  struct GapPlace {
    LaneIndex lane;
    std::uint64_t before, next;
    auto operator<=>(const GapPlace&) const = default;
  };
  using RunsAt = std::map<GapPlace, Runs>;

  static constexpr auto kJoined = Hypothesis::kJoinedThreads;

  bool are_steady(const Times& times) const { return hypotheses_.hold(kJoined, times.counts()); }

  const Activity& at(LaneIndex lane, ActivityIndex number) const {
    return activities_[lane][number];
  }

  /// A thread that starts another has done something before that begins, and does more behind it:
  /// for each thread only those are looked at.
  void find_starters() {
    std::vector<LaneIndex> lanes;
    for (const LaneIndex lane : rows_of(activities_))
      if (!activities_[lane].empty()) lanes.push_back(lane);
    const auto begin_of = [&](LaneIndex lane) { return activities_[lane].front().begin; };
    sort_rows(lanes, [&](LaneIndex a, LaneIndex b) {
      return std::pair(begin_of(a), a) < std::pair(begin_of(b), b);
    });
    std::set<LaneIndex> open;
    std::set<std::pair<Ns, LaneIndex>> last_begins;  // of those
    ByRow<Lane, RunsAt> found(activities_.size());
    auto entering = lanes.begin();
    for (const LaneIndex lane : lanes) {
      const Ns begin = begin_of(lane);
      for (; begin_of(*entering) < begin; ++entering) {
        open.insert(*entering);
        last_begins.emplace(activities_[*entering].back().begin, *entering);
      }
      for (; !last_begins.empty() && last_begins.begin()->first < begin;
           last_begins.erase(last_begins.begin()))
        open.erase(last_begins.begin()->second);
      if (activities_[lane].size() >= info(kJoined).least) found[lane] = find_starter(lane, open);
    }
    for (RunsAt& of_lane : found)
      for (auto& [place, runs] : of_lane) started_[place].push_back(std::move(runs));
  }

  /// Of the others the thread in whose gaps the lane does all it does, and at whose places it is
  /// started; of several the one whose gaps are the shortest.
  RunsAt find_starter(LaneIndex lane, const std::set<LaneIndex>& others) {
    RunsAt best;
    Ns shortest = 0;
    for (const LaneIndex other : others) {
      RunsAt runs = runs_in_gaps(lane, other);
      std::erase_if(runs, [&](const auto& at) { return !is_started(other, at.second); });
      if (runs.empty()) continue;
      const Ns gaps = mean_gap(runs);
      if (!best.empty() && gaps >= shortest) continue;
      best = std::move(runs);
      shortest = gaps;
    }
    return best;
  }

  /// None where the lane does something while the other thread does, too, or before it.
  RunsAt runs_in_gaps(LaneIndex lane, LaneIndex other) {
    RunsAt runs;
    const auto &own = activities_[lane], &others = activities_[other];
    const auto first_from = [](const auto& list, Ns time) {
      return ActivityIndex(static_cast<std::size_t>(
          std::partition_point(list.begin(), list.end(),
                               [&](const Activity& activity) { return activity.begin < time; }) -
          list.begin()));
    };
    const ActivityIndex end(own.size()), other_end(others.size());
    for (ActivityIndex first(0); first < end;) {
      if (looks_left_ == 0) return {};
      --looks_left_;
      const ActivityIndex next = first_from(others, own[first].begin);
      // Both do all they do in gaps of each other: the one that begins starts the other.
      if (next == ActivityIndex(0) || others[next - 1].end > own[first].begin) return {};
      const ActivityIndex behind = next < other_end ? first_from(own, others[next].begin) : end;
      if (behind == first) return {};
      const ActivityIndex last = behind - 1;
      if (next < other_end && own[last].end > others[next].begin) return {};
      if (next < other_end)
        runs[{other, others[next - 1].place(other), others[next].place(other)}].push_back(
            {lane, first, last, next});
      first = behind;
    }
    return runs;
  }

  /// When each run began, after what the other thread did, and after what its own thread did.
  Times starts_of(LaneIndex other, const Runs& runs) const {
    Times starts;
    for (const Run& run : runs) {
      const Activity& first = at(run.lane, run.first);
      starts.times.push_back(first.begin);
      starts.lags.push_back(first.begin - at(other, run.next - 1).end);
      if (run.first > ActivityIndex(0))
        starts.idle.push_back(first.begin - at(run.lane, run.first - 1).end);
    }
    return starts;
  }

  bool is_started(LaneIndex other, const Runs& runs) const {
    return are_steady(starts_of(other, runs)) &&
           std::none_of(runs.begin(), runs.end(),
                        [&](const Run& run) { return at(run.lane, run.first).is_explained; });
  }

  Ns mean_gap(const RunsAt& places) const {
    Ns sum = 0, count = 0;
    for (const auto& [place, runs] : places)
      for (const Run& run : runs) {
        sum = saturated_sum(sum, at(place.lane, run.next).begin - at(place.lane, run.next - 1).end);
        ++count;
      }
    return sum / count;
  }

  void join(LaneIndex waiting, const std::vector<Runs>& threads) {
    std::map<ActivityIndex, Ns> ended;  // by what the waiting thread goes on with
    for (const Runs& runs : threads)
      for (const Run& run : runs) {
        Ns& end = ended.try_emplace(run.next, kNoTime).first->second;
        end = std::max(end, at(run.lane, run.last).end);
      }
    Times joins;
    for (const auto& [next, end] : ended) {
      const Activity& activity = at(waiting, next);
      if (activity.is_explained) return;
      joins.times.push_back(activity.begin);
      joins.lags.push_back(activity.begin - end);
      joins.idle.push_back(activity.begin - at(waiting, next - 1).end);
    }
    const bool is_evident = joins.are_steadier_than_idle() ||
                            std::any_of(threads.begin(), threads.end(), [&](const Runs& runs) {
                              return starts_of(waiting, runs).are_steadier_than_idle();
                            });
    if (!are_steady(joins) || !is_evident) return;
    const auto is_last = [&](const Run& run) {
      return at(run.lane, run.last).end == ended.at(run.next);
    };
    std::vector<const Runs*> joined;
    for (const Runs& runs : threads)
      if (std::any_of(runs.begin(), runs.end(), is_last)) joined.push_back(&runs);
    const std::size_t seen = joined.size();
    for (const Runs& runs : threads)
      if (std::none_of(runs.begin(), runs.end(), is_last) &&
          std::any_of(joined.begin(), joined.begin() + static_cast<std::ptrdiff_t>(seen),
                      [&](const Runs* other) { return do_the_same(runs, *other); }))
        joined.push_back(&runs);
    for (const Runs* runs : joined)
      for (const Run& run : *runs) add_edges(waiting, run);
    found_ = true;
  }

  /// At the same times the same ops first and last.
  bool do_the_same(const Runs& runs, const Runs& others) const {
    return std::equal(runs.begin(), runs.end(), others.begin(), others.end(),
                      [&](const Run& run, const Run& other) {
                        return run.next == other.next &&
                               at(run.lane, run.first).path == at(other.lane, other.first).path &&
                               at(run.lane, run.last).path == at(other.lane, other.last).path;
                      });
  }

  void add_edges(LaneIndex waiting, const Run& run) {
    const auto add = [&](NodeIndex from, NodeIndex to) {
      if (from && to) edges_.add({from, to, Evidence::kThreadHandOff, info(kJoined).inferred});
    };
    add(at(waiting, run.next - 1).last, at(run.lane, run.first).next);
    add(at(run.lane, run.last).last, at(waiting, run.next).next);
  }

  const Activities& activities_;
  const Hypotheses& hypotheses_;
  EdgeList& edges_;
  std::size_t looks_left_ = kMostLooksForRuns;
  bool found_ = false;
  std::map<GapPlace, std::vector<Runs>> started_;  // by thread in each
};

}  // namespace

bool add_join_hand_off(const Activities& activities, const Hypotheses& hypotheses,
                       EdgeList& edges) {
  return JoinedThreads(activities, hypotheses, edges).run();
}

}  // namespace nadi
