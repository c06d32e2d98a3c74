#include "nadi/graph/gap_hand_off.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <queue>
#include <set>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "nadi/base/median.h"

namespace nadi {
namespace {

/// A thread must have been idle this long to look as if it had waited for another.
const Ns kIdle = info(Hypothesis::kRepeatedHandOff).evident_ns;
/// What ended so long before a thread went idle may be what it was idle for: it takes a while until
/// the thread goes on.
constexpr Ns kGoesOnLater = 50'000;
/// Of the threads that worked last so many are looked at, of each its last so many activities, and
/// those of so many places in all.
constexpr int kMostThreads = 8;
constexpr std::size_t kMostBack = 32, kMostPlaces = 16;
/// The time from the end of what a thread waits for until it goes on varies by no more than one of
/// these, or than one half (1 / kVariesPart) of itself.
constexpr Ns kVaries[] = {2'000, 10'000, 50'000};
constexpr Ns kVariesPart = 2;
/// A hand-off must be seen so often, and must explain such a share of the idle time at its place
/// that is beyond the usual.
const std::size_t kLeastRepeats = info(Hypothesis::kRepeatedHandOff).least;
const double kLeastShareOfIdle = info(Hypothesis::kRepeatedHandOff).least_share;
/// The time since the end of the source must vary so many times less than the idle time does.
constexpr Ns kSteadier = 2;
/// A candidate must have been seen before so many percent of the gaps that the most frequent
/// candidate was seen before.
constexpr std::size_t kNearlyAll = 80;
/// Of the places at which something ended before the gaps of one place so many are compared, the
/// most frequent.
constexpr std::size_t kMostPlacesCompared = 256;

/// A thread that goes on with `activity` after it was idle.
struct Gap {
  Ns since, time;
  ActivityOf activity;

  Ns idle() const { return time - since; }
};
using Gaps = ByRow<Gap>;
using GapIndex = Index<Gap>;

/// What may have ended a gap: what another thread did last at a place.
struct Candidate {
  GapIndex gap;
  ActivityOf activity;
  Ns lag;  ///< from its end to the end of the gap
  /// How often that thread did it in how long a time before the end of the gap.
  std::uint32_t count = 0;
  Ns in = 0;
  Ns until_next = 0;  ///< from its end until that thread had done the same again

  /// How likely it is that the gap ends no later than so long behind it, if it may end anywhere
  /// near it or in the time before.
  double chance_of(Ns width) const {
    const double usual = static_cast<double>(count) / static_cast<double>(in);
    const double nearby = 1 / static_cast<double>(until_next);
    return std::min(1.0, static_cast<double>(width) * std::max(usual, nearby));
  }
};

/// What each thread did last, as time goes on.
class BusyThreads {
 public:
  explicit BusyThreads(const Activities& activities)
      : activities_(activities), begun_(activities.size(), 0) {
    for (const LaneIndex lane : rows_of(begun_)) wait_for_next(lane);
  }

  /// Goes on to a time, which is no earlier than the last one.
  void go_to(Ns time) {
    while (!next_.empty() && next_.top().first < time) {
      const LaneIndex lane = next_.top().second;
      next_.pop();
      const auto& all = activities_[lane];
      std::size_t& begun = begun_[lane];
      if (begun > 0) by_end_.erase({all[begun - 1].end, lane});
      const auto after =
          std::partition_point(all.begin() + static_cast<std::ptrdiff_t>(begun), all.end(),
                               [&](const Activity& activity) { return activity.begin < time; });
      begun = static_cast<std::size_t>(after - all.begin());
      by_end_.insert({all[begun - 1].end, lane});
      wait_for_next(lane);
    }
  }

  /// Calls visit(activity, since) with what other threads did last before the end of the gap. All
  /// that the thread did after `since` is visited.
  template <class Visit>
  void visit_ended_before(const Gap& gap, const Visit& visit) const {
    int threads = 0;
    const Ns from = gap.since - kGoesOnLater;
    for (auto known = by_end_.rbegin(); known != by_end_.rend() && threads < kMostThreads;
         ++known) {
      const auto [end, lane] = *known;
      if (end <= from) break;
      if (lane == gap.activity.lane) continue;
      ++threads;
      const auto& all = activities_[lane];
      const std::size_t last = begun_[lane], first = last - std::min(last, kMostBack);
      const Ns since = std::max(from, first == 0 ? from : all[first - 1].end);
      for (std::size_t i = last; i-- > first && all[i].end > from;)
        if (all[i].end <= gap.time && all[i].last) visit(ActivityOf{lane, ActivityIndex(i)}, since);
    }
  }

 private:
  void wait_for_next(LaneIndex lane) {
    const auto& all = activities_[lane];
    if (begun_[lane] < all.size()) next_.push({all[begun_[lane]].begin, lane});
  }

  const Activities& activities_;
  ByRow<Lane, std::size_t> begun_;  // how many
  using At = std::pair<Ns, LaneIndex>;
  std::priority_queue<At, std::vector<At>, std::greater<>> next_;  // lanes, by what they do next
  std::set<At> by_end_;  // lanes that have begun, by the end of what they did last
};

/// In time order. A thread that asks again and again waits for what it asks for.
Gaps unexplained_gaps(const Activities& activities) {
  Gaps gaps;
  for (const LaneIndex lane : rows_of(activities)) {
    const auto& all = activities[lane];
    for (ActivityIndex i(1); i < ActivityIndex(all.size()); ++i) {
      const Activity &before = all[i - 1], &next = all[i];
      const bool is_polling = before.is_query && next.is_query;
      if (next.begin - before.end >= kIdle && !next.is_explained && !is_polling)
        gaps.push_back({before.end, next.begin, {lane, i}});
    }
  }
  std::stable_sort(gaps.begin(), gaps.end(),
                   [](const Gap& a, const Gap& b) { return a.time < b.time; });
  return gaps;
}

/// From the first quarter to the last.
Ns spread_of(std::vector<Ns> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() * 3 / 4] - times[times.size() / 4];
}

/// Finds what repeats among the gaps.
class RepeatedHandOffs {
 public:
  RepeatedHandOffs(const Activities& activities, const Gaps& gaps, const Hypotheses& hypotheses)
      : activities_(activities), gaps_(gaps), hypotheses_(hypotheses) {}

  /// The places of gaps, and what may have ended each.
  void add(GapIndex gap, const BusyThreads& busy) {
    const Gap& one = gaps_[gap];
    const auto& [lane, number] = one.activity;
    gaps_at_[{activities_[lane][number - 1].place(lane), true}].push_back(gap);
    gaps_at_[{activities_[lane][number].place(lane), false}].push_back(gap);
    const std::size_t first = candidates_.size();
    busy.visit_ended_before(one, [&](const ActivityOf& activity, Ns since) {
      auto known = std::find_if(candidates_.begin() + static_cast<std::ptrdiff_t>(first),
                                candidates_.end(), [&](const Candidate& candidate) {
                                  return place_of(candidate.activity) == place_of(activity);
                                });
      if (known == candidates_.end() && candidates_.size() - first == kMostPlaces) return;
      if (known == candidates_.end()) {
        const Ns lag = one.time - activities_[activity.lane][activity.number].end;
        known = candidates_.insert(known,
                                   {gap, activity, lag, 0, one.time - since, until_next(activity)});
      }
      ++known->count;
    });
  }

  /// Once all gaps were added.
  void find() {
    std::vector<Proposal> accepted;
    for (const auto& [where, gaps] : gaps_at_)
      if (gaps.size() >= kLeastRepeats)
        if (Proposal best = best_of(gaps); !best.candidates.empty()) {
          best.where = where;
          accepted.push_back(std::move(best));
        }
    // Of two sources of one gap that counts which was seen before more gaps. Places are hashes:
    // their order must not show.
    std::sort(accepted.begin(), accepted.end(), [](const Proposal& a, const Proposal& b) {
      return std::tuple(b.candidates.size(), a.log_chance, a.first(), a.where.is_before) <
             std::tuple(a.candidates.size(), b.log_chance, b.first(), b.where.is_before);
    });
    index_places(accepted);
    for (const Proposal& proposal : accepted)
      for (const Candidate& candidate : proposal.candidates)
        source_of_.try_emplace(gaps_[candidate.gap].activity, candidate.activity);
    for (const Proposal& proposal : accepted) add_in_turn(proposal);
  }

  /// By what a thread went on with: what it waited for.
  using SourceOf = std::map<ActivityOf, ActivityOf>;
  const SourceOf& source_of() const { return source_of_; }

 private:
  /// Of activities on their lane, ascending.
  using Numbers = std::vector<ActivityIndex>;

  /// Of gaps: what their thread did before them, or does behind them.
  struct Place {
    std::uint64_t place;
    bool is_before;
    auto operator<=>(const Place&) const = default;
  };

  /// All gaps at one place waited for what happened at another.
  struct Proposal {
    Place where;
    std::vector<Candidate> candidates;  ///< by gap
    Ns lag = 0, width = 0;              ///< the shortest; by how much they vary
    double log_chance = 0;              ///< that it is seen so often by chance

    /// The first of its gaps, and what ended that.
    std::pair<GapIndex, ActivityOf> first() const {
      return {candidates.front().gap, candidates.front().activity};
    }
  };

  /// The time from its end until its thread has done the same again; the longest time where that is
  /// not among the next kMostBack activities.
  Ns until_next(const ActivityOf& activity) const {
    const auto& all = activities_[activity.lane];
    const Activity& own = all[activity.number];
    ActivityIndex next = activity.number + 1;
    const ActivityIndex end(std::min(all.size(), next.value + kMostBack));
    while (next < end && all[next].path != own.path) ++next;
    return next < end ? all[next].end - own.end : std::numeric_limits<Ns>::max();
  }

  Ns idle_before(const ActivityOf& activity) const {
    const auto& all = activities_[activity.lane];
    return all[activity.number].begin - all[activity.number - 1].end;
  }

  /// An activity of a thread and what it waited for, by their ranks at their places.
  struct Pair {
    std::size_t member, source;
  };

  /// What one thread hands over the other takes in turn, whether or not it had to wait for it.
  /// Either may come to its place several times for each item, as to a call that an op makes twice:
  /// the steps from item to item are the smallest that fit to those known and that times allow.
  void add_in_turn(const Proposal& proposal) {
    const LaneIndex from = proposal.candidates.front().activity.lane,
                    to = gaps_[proposal.candidates.front().gap].activity.lane;
    const Numbers& given = numbers_at_.at(place_of(proposal.candidates.front().activity));
    const Numbers taken = members_of(proposal, to);
    std::vector<Pair> known;
    for (const Candidate& one : proposal.candidates)
      known.push_back(
          {rank_of(gaps_[one.gap].activity.number, taken), rank_of(one.activity.number, given)});
    Pair common{0, 0};  // of which all steps between known ones are multiples
    for (std::size_t i = 1; i < known.size(); ++i)
      common = {std::gcd(common.member, known[i].member - known[i - 1].member),
                std::gcd(common.source, known[i].source - known[i - 1].source)};
    const auto is_impossible = [&](const Pair& pair) {
      return activities_[from][given[pair.source]].end > activities_[to][taken[pair.member]].begin;
    };
    const std::size_t most = std::gcd(common.member, common.source);
    for (std::size_t parts = most; parts > 0; --parts) {
      if (most % parts != 0) continue;
      const Pair step{common.member / parts, common.source / parts};
      const std::vector<Pair> pairs = pairs_between(known, step, {taken.size(), given.size()});
      const auto contradicted =
          static_cast<std::size_t>(std::count_if(pairs.begin(), pairs.end(), is_impossible));
      if (!hypotheses_.hold(Hypothesis::kTakenInTurn,
                            {taken.size() / step.member, known.size(), contradicted}))
        continue;
      for (const Pair& pair : pairs)
        if (!activities_[to][taken[pair.member]].is_explained)
          source_of_.try_emplace({to, taken[pair.member]}, ActivityOf{from, given[pair.source]});
      return;
    }
  }

  /// Pairs at the steps from one to the next between known ones, before the first and behind the
  /// last; `end` is behind the last ranks.
  static std::vector<Pair> pairs_between(const std::vector<Pair>& known, Pair step, Pair end) {
    std::vector<Pair> pairs;
    const auto add = [&](Pair pair, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i) {
        pairs.push_back(pair);
        pair = {pair.member + step.member, pair.source + step.source};
      }
    };
    const Pair &first = known.front(), &last = known.back();
    const std::size_t before = std::min(first.member / step.member, first.source / step.source);
    add({first.member - before * step.member, first.source - before * step.source}, before);
    for (std::size_t i = 1; i < known.size(); ++i) {
      const Pair& one = known[i - 1];
      const std::size_t steps = (known[i].member - one.member) / step.member;
      if (steps > 1 && steps == (known[i].source - one.source) / step.source)
        add({one.member + step.member, one.source + step.source}, steps - 1);
    }
    add({last.member + step.member, last.source + step.source},
        std::min((end.member - 1 - last.member) / step.member,
                 (end.source - 1 - last.source) / step.source));
    return pairs;
  }

  /// What the thread goes on with at the place.
  Numbers members_of(const Proposal& proposal, LaneIndex lane) const {
    Numbers members = numbers_at_.at(proposal.where.place);
    if (proposal.where.is_before)
      for (ActivityIndex& number : members) ++number;
    if (members.back() == ActivityIndex(activities_[lane].size())) members.pop_back();
    return members;
  }

  static std::size_t rank_of(ActivityIndex number, const Numbers& numbers) {
    return static_cast<std::size_t>(std::lower_bound(numbers.begin(), numbers.end(), number) -
                                    numbers.begin());
  }

  std::uint64_t place_of(const ActivityOf& activity) const {
    return activities_[activity.lane][activity.number].place(activity.lane);
  }

  void index_places(const std::vector<Proposal>& proposals) {
    for (const Proposal& one : proposals) {
      numbers_at_[one.where.place];
      numbers_at_[place_of(one.candidates.front().activity)];
    }
    for (const LaneIndex lane : rows_of(activities_))
      for (const ActivityIndex i : rows_of(activities_[lane]))
        if (const auto at = numbers_at_.find(activities_[lane][i].place(lane));
            at != numbers_at_.end())
          at->second.push_back(i);
  }

  /// Returns, of the candidates seen before nearly as many gaps as the most frequent one, the one
  /// whose end came most evenly before those gaps' ends.
  Proposal best_of(const std::vector<GapIndex>& gaps) const {
    std::vector<std::vector<Candidate>> by_place = candidates_by_place(gaps);
    const Ns usual = usual_idle(gaps);
    Ns unusual = 0;
    for (const GapIndex gap : gaps) unusual = saturated_sum(unusual, longer_than(usual, gap));
    std::vector<Proposal> possible;
    std::size_t most_seen = 0;
    for (std::vector<Candidate>& candidates : by_place) {
      Proposal one = test(std::move(candidates), usual, unusual);
      one.log_chance += std::log(static_cast<double>(by_place.size()));
      if (!hold(one, gaps)) continue;
      most_seen = std::max(most_seen, one.candidates.size());
      possible.push_back(std::move(one));
    }
    std::erase_if(possible, [&](const Proposal& one) {
      return one.candidates.size() * 100 < most_seen * kNearlyAll;
    });
    // What both threads do behind the hand-off ends as evenly where it is short: in doubt the
    // first.
    std::sort(possible.begin(), possible.end(), [](const Proposal& a, const Proposal& b) {
      return std::tuple(b.lag, a.first()) < std::tuple(a.lag, b.first());
    });
    Proposal best;
    for (Proposal& one : possible)
      if (best.candidates.empty() || is_steadier(one, best)) best = std::move(one);
    return best;
  }

  std::vector<std::vector<Candidate>> candidates_by_place(const std::vector<GapIndex>& gaps) const {
    std::unordered_map<std::uint64_t, std::vector<Candidate>> by_place;
    for (const GapIndex gap : gaps)
      for (auto at = first_of(gap); at != candidates_.end() && at->gap == gap; ++at)
        by_place[place_of(at->activity)].push_back(*at);
    std::vector<std::vector<Candidate>> found;
    found.reserve(by_place.size());
    for (auto& [place, candidates] : by_place) found.push_back(std::move(candidates));
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
      return std::tuple(b.size(), a.front().gap, a.front().activity) <
             std::tuple(a.size(), b.front().gap, b.front().activity);
    });
    found.resize(std::min(found.size(), kMostPlacesCompared));
    return found;
  }

  /// The thread's own time there, and what is longer.
  Ns usual_idle(const std::vector<GapIndex>& gaps) const {
    std::vector<Ns> idle;
    idle.reserve(gaps.size());
    for (const GapIndex gap : gaps) idle.push_back(gaps_[gap].idle());
    return upper_median(idle);
  }
  Ns longer_than(Ns usual, GapIndex gap) const {
    return std::max<Ns>(0, gaps_[gap].idle() - usual);
  }

  std::vector<Candidate>::const_iterator first_of(GapIndex gap) const {
    return std::partition_point(candidates_.begin(), candidates_.end(),
                                [=](const Candidate& candidate) { return candidate.gap < gap; });
  }

  /// Of so many gaps, with so much idle time beyond what is usual.
  Proposal test(std::vector<Candidate> candidates, Ns usual, Ns unusual) const {
    std::sort(candidates.begin(), candidates.end(),
              [](const Candidate& a, const Candidate& b) { return a.lag < b.lag; });
    Proposal best;
    const auto try_window = [&](const auto& latest, Ns least_width) {
      const std::span<const Candidate> seen = most_within(candidates, latest);
      if (seen.size() < kLeastRepeats || !explains(seen, usual, unusual)) return;
      Proposal one = proposal_of(seen, candidates.size(), least_width);
      if (one.log_chance < best.log_chance) best = std::move(one);
    };
    for (const Ns varies : kVaries)
      try_window([=](Ns lag) { return saturated_sum(lag, varies); }, varies);
    try_window([](Ns lag) { return saturated_sum(lag, lag / kVariesPart); }, kVaries[0]);
    return best;
  }

  /// The most that lie together.
  template <class Latest>
  static std::span<const Candidate> most_within(const std::vector<Candidate>& candidates,
                                                const Latest& latest) {
    std::size_t begin = 0, seen = 0;
    for (std::size_t first = 0, last = 0; first < candidates.size(); ++first) {
      while (last < candidates.size() && candidates[last].lag <= latest(candidates[first].lag))
        ++last;
      if (last - first <= seen) continue;
      begin = first;
      seen = last - first;
    }
    return {candidates.data() + begin, seen};
  }

  bool explains(std::span<const Candidate> seen, Ns usual, Ns unusual) const {
    Ns explained = 0;
    std::vector<Ns> lags, idle;
    for (const Candidate& one : seen) {
      explained = saturated_sum(explained, longer_than(usual, one.gap));
      lags.push_back(one.lag);
      idle.push_back(gaps_[one.gap].idle());
    }
    return static_cast<double>(explained) >= kLeastShareOfIdle * static_cast<double>(unusual) &&
           spread_of(std::move(lags)) * kSteadier <= spread_of(std::move(idle));
  }

  /// True where the times since what ended later vary by less than those since what ended earlier,
  /// and as much less as cannot be chance: what came between them varies on its own then. A thread
  /// that itself only went on in between may have waited for the same.
  bool is_steadier(const Proposal& later, const Proposal& earlier) const {
    std::vector<double> lags, between;
    auto other = earlier.candidates.begin();
    for (const Candidate& one : later.candidates) {
      while (other != earlier.candidates.end() && other->gap < one.gap) ++other;
      if (other == earlier.candidates.end() || other->gap != one.gap) continue;
      if (went_on_after(one.activity, other->activity)) return false;
      lags.push_back(static_cast<double>(one.lag));
      between.push_back(static_cast<double>(other->lag - one.lag));
    }
    if (lags.size() < kLeastRepeats) return false;
    const auto n = static_cast<double>(lags.size());
    const double lag_mean = std::accumulate(lags.begin(), lags.end(), 0.0) / n;
    const double between_mean = std::accumulate(between.begin(), between.end(), 0.0) / n;
    double lag_variance = 0, between_variance = 0, covariance = 0;
    for (std::size_t i = 0; i < lags.size(); ++i) {
      const double lag = lags[i] - lag_mean, distance = between[i] - between_mean;
      lag_variance += lag * lag / n;
      between_variance += distance * distance / n;
      covariance += lag * distance / n;
    }
    const double deviations = 2 + 4 / (n - 2);  // nearly as Student's distribution has it
    return between_variance + 2 * covariance >
           deviations * std::sqrt(lag_variance * between_variance / n);
  }

  /// The thread was idle when another had ended what it did.
  bool went_on_after(const ActivityOf& activity, const ActivityOf& other) const {
    if (activity.lane == other.lane) return false;
    ActivityIndex first = activity.number;
    for (std::size_t i = 0;
         i < kMostBack && first > ActivityIndex(0) && idle_before({activity.lane, first}) < kIdle;
         ++i)
      --first;
    return activities_[activity.lane][first].begin >= activities_[other.lane][other.number].end;
  }

  static Proposal proposal_of(std::span<const Candidate> seen, std::size_t gaps, Ns least_width) {
    Proposal one;
    one.candidates.assign(seen.begin(), seen.end());
    one.lag = seen.front().lag;
    one.width = std::max(least_width, seen.back().lag - one.lag);
    // The number of ways to choose the gaps that were seen.
    const auto n = static_cast<double>(gaps), k = static_cast<double>(seen.size());
    one.log_chance = std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) + std::log(k);
    double least = 0;  // of the one that says where the others must be
    for (const Candidate& candidate : seen) {
      const double log_share = std::log(candidate.chance_of(one.width));
      one.log_chance += log_share;
      least = std::min(least, log_share);
    }
    one.log_chance -= least;
    std::sort(one.candidates.begin(), one.candidates.end(),
              [](const Candidate& a, const Candidate& b) { return a.gap < b.gap; });
    return one;
  }

  bool hold(const Proposal& one, const std::vector<GapIndex>& gaps) const {
    const std::size_t seen = one.candidates.size();
    // First without what takes long to count.
    if (!hypotheses_.hold(Hypothesis::kRepeatedHandOff, {seen, seen, 0, one.log_chance}))
      return false;
    const std::size_t sooner = count_sooner(one, gaps);
    return hypotheses_.hold(Hypothesis::kRepeatedHandOff,
                            {seen + sooner, seen, sooner, one.log_chance});
  }

  /// Returns the number of other gaps at whose end less time had passed since the source's end than
  /// the shortest lag, by up to the width, or at whose end the source was still to end. Two threads
  /// that do something at about the same time for a common reason look so; one that waits for the
  /// other goes on no sooner.
  std::size_t count_sooner(const Proposal& one, const std::vector<GapIndex>& gaps) const {
    auto seen = one.candidates.begin();
    std::size_t sooner = 0;
    for (const GapIndex gap : gaps) {
      while (seen != one.candidates.end() && seen->gap < gap) ++seen;
      const bool is_seen = seen != one.candidates.end() && seen->gap == gap;
      if (!is_seen &&
          ended_within(one.candidates.front().activity, gaps_[gap].time - one.lag, one.width))
        ++sooner;
    }
    return sooner;
  }

  /// The thread ended what it does at that place behind the time, no later than so long.
  bool ended_within(const ActivityOf& at, Ns time, Ns so_long) const {
    const auto& all = activities_[at.lane];
    const std::uint64_t place = place_of(at);
    auto one = std::partition_point(all.begin(), all.end(),
                                    [=](const Activity& activity) { return activity.end <= time; });
    for (std::size_t i = 0; i < kMostBack && one != all.end() && one->end - time <= so_long;
         ++i, ++one)
      if (one->place(at.lane) == place) return true;
    return false;
  }

  const Activities& activities_;
  const Gaps& gaps_;
  const Hypotheses& hypotheses_;
  std::vector<Candidate> candidates_;  // by gap
  std::map<Place, std::vector<GapIndex>> gaps_at_;
  std::unordered_map<std::uint64_t, Numbers> numbers_at_;  // by place
  SourceOf source_of_;
};

}  // namespace

void add_gap_hand_off(const Activities& activities, const Hypotheses& hypotheses, EdgeList& edges) {
  const Gaps gaps = unexplained_gaps(activities);
  if (gaps.empty()) return;
  BusyThreads busy(activities);
  RepeatedHandOffs repeated(activities, gaps, hypotheses);
  for (const GapIndex i : rows_of(gaps)) {
    busy.go_to(gaps[i].time);
    repeated.add(i, busy);
  }
  repeated.find();
  for (const auto& [waiting, source] : repeated.source_of())
    if (const NodeIndex from = activities[source.lane][source.number].last)
      edges.add({from, activities[waiting.lane][waiting.number].next, Evidence::kThreadHandOff,
                 info(Hypothesis::kRepeatedHandOff).inferred});
}

}  // namespace nadi
