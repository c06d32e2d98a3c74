#include "nadi/graph/gap_hand_off.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <queue>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "nadi/base/mix.h"
#include "nadi/model/op_relations.h"

namespace nadi {
namespace {

/// A thread must have been idle this long to look as if it had waited for another, …
constexpr Ns kIdle = 100'000;
/// … and if nothing repeats, this long.
constexpr Ns kLongIdle = 1'000'000;
/// How soon after the other thread stopped it must have gone on then.
constexpr Ns kWakesUp = 50'000;

/// So many threads that worked last are looked at, so many nodes of each, and so many places.
constexpr int kMostThreads = 8;
constexpr std::size_t kMostNodesBack = 32, kMostPlaces = 16;
/// From what a thread waits for until it goes on it takes always the same time, but for so much, or
/// this part of it.
constexpr Ns kVaries = 50'000;
constexpr Ns kVariesPart = 2;
/// Times that differ by less count as so far apart.
constexpr Ns kLeastVaries = 10'000;
/// So often it must be seen, and explain so many of a hundred parts of all idle time at its place …
constexpr std::size_t kLeastRepeats = 3;
constexpr Ns kLeastPercentOfIdle = 50;
/// … and so unlikely it must be that this is chance.
const double kMostLogChance = std::log(1e-3);
/// Times that are spread by no more than this are spread alike.
constexpr Ns kStampsDiffer = 2'000;
/// Of a hundred gaps that the most seen may have ended so many.
constexpr std::size_t kNearlyAll = 80;

/// A thread that goes on at `time` after it was idle since `since`.
struct Gap {
  Ns since, time;
  LaneIndex lane;
  NodeIndex before, node;
  NodeIndex source = {};  ///< last node of another thread for which it waited
  Inference inferred = Inference::kTiming;

  Ns idle() const { return time - since; }
};
using Gaps = std::vector<Gap>;

/// What may have ended a gap: a node of another thread that ended inside it.
struct Candidate {
  std::size_t gap;
  NodeIndex node;
  std::uint64_t place;
  Ns lag;  ///< from the node's end to the end of the gap
  /// How many nodes of the place end in how long a time before the end of the gap.
  std::size_t nodes = 0;
  Ns in = 0;
};

/// The node with which each thread was busy last, as time goes on.
class BusyThreads {
 public:
  explicit BusyThreads(const GraphDraft& draft)
      : draft_(draft), begun_(draft.lane_nodes.size(), 0) {
    for (const LaneIndex lane : rows_of(begun_)) wait_for_next(lane);
  }

  /// Goes on to a time, which is no earlier than the last one.
  void go_to(Ns time) {
    while (!next_.empty() && next_.top().first < time) {
      const LaneIndex lane = next_.top().second;
      next_.pop();
      const auto& nodes = draft_.lane_nodes[lane];
      std::size_t& begun = begun_[lane];
      if (begun > 0) by_end_.erase({draft_.end_ns(nodes[begun - 1]), lane});
      const auto after =
          std::partition_point(nodes.begin() + static_cast<std::ptrdiff_t>(begun), nodes.end(),
                               [&](NodeIndex node) { return draft_.start_ns(node) < time; });
      begun = static_cast<std::size_t>(after - nodes.begin());
      by_end_.insert({draft_.end_ns(nodes[begun - 1]), lane});
      wait_for_next(lane);
    }
  }

  /// Returns the last node of the only other thread that worked in the last moments before the
  /// time, if that thread did nothing for long afterwards; else none.
  NodeIndex only_one_that_stopped(LaneIndex waiting, Ns time) const {
    NodeIndex stopped;
    for (auto known = by_end_.rbegin(); known != by_end_.rend(); ++known) {
      const auto [end, lane] = *known;
      if (lane == waiting) continue;
      if (end < time - kWakesUp) break;
      const auto& nodes = draft_.lane_nodes[lane];
      const std::size_t begun = begun_[lane];
      const Ns next =
          begun == nodes.size() ? std::numeric_limits<Ns>::max() : draft_.start_ns(nodes[begun]);
      if (stopped || end > time || next < end + kLongIdle) return {};
      stopped = nodes[begun - 1];
    }
    return stopped;
  }

  /// Visits the last nodes of other threads that ended inside the gap: visit(node, since when all
  /// of its thread are visited).
  template <class Visit>
  void visit_ended_inside(const Gap& gap, const Visit& visit) const {
    int threads = 0;
    for (auto known = by_end_.rbegin(); known != by_end_.rend() && threads < kMostThreads;
         ++known) {
      const auto [end, lane] = *known;
      if (end <= gap.since) break;
      if (lane == gap.lane) continue;
      ++threads;
      const auto& nodes = draft_.lane_nodes[lane];
      const std::size_t last = begun_[lane], first = last - std::min(last, kMostNodesBack);
      const Ns since =
          std::max(gap.since, first == 0 ? gap.since : draft_.end_ns(nodes[first - 1]));
      for (std::size_t i = last; i-- > first && draft_.end_ns(nodes[i]) > gap.since;)
        if (draft_.end_ns(nodes[i]) <= gap.time) visit(nodes[i], since);
    }
  }

 private:
  void wait_for_next(LaneIndex lane) {
    const auto& nodes = draft_.lane_nodes[lane];
    if (begun_[lane] < nodes.size()) next_.push({draft_.start_ns(nodes[begun_[lane]]), lane});
  }

  const GraphDraft& draft_;
  ByRow<Lane, std::size_t> begun_;  // how many of its nodes
  using At = std::pair<Ns, LaneIndex>;
  std::priority_queue<At, std::vector<At>, std::greater<>> next_;  // lanes, by their next start
  std::set<At> by_end_;  // lanes that have begun, by the end of their last node
};

/// When the thread came to the node: a call that blocks begins long before its node.
Ns reached_ns(const GraphDraft& draft, NodeIndex node) {
  const Ns start = draft.start_ns(node);
  if (draft.nodes[node].kind != NodeKind::kCall) return start;
  return std::min(start, draft.linked.device.calls.start_ns[draft.nodes[node].call()]);
}

/// The last query of a loop: the thread waited before it, and not in it (R15).
bool is_query(const GraphDraft& draft, NodeIndex node) {
  return draft.nodes[node].kind == NodeKind::kCall && draft.name(node).ends_with("Query");
}

/// In time order.
Gaps unexplained_gaps(const GraphDraft& draft, const EdgeList& found) {
  ByRow<Node, bool> is_explained(draft.nodes.size(), false);
  for (const DraftEdge& edge : found.edges())
    is_explained[edge.target] =
        is_explained[edge.target] || edge.evidence == Evidence::kThreadHandOff ||
        (edge.evidence == Evidence::kSynchronisation && is_query(draft, edge.target));
  Gaps gaps;
  for (const LaneIndex lane : rows_of(draft.lane_nodes)) {
    const auto& nodes = draft.lane_nodes[lane];
    for (std::size_t i = 1; i < nodes.size(); ++i) {
      const Ns since = draft.end_ns(nodes[i - 1]), time = reached_ns(draft, nodes[i]);
      if (time - since >= kIdle && !is_explained[nodes[i]])
        gaps.push_back({since, time, lane, nodes[i - 1], nodes[i]});
    }
  }
  std::stable_sort(gaps.begin(), gaps.end(),
                   [](const Gap& a, const Gap& b) { return a.time < b.time; });
  return gaps;
}

/// Finds what repeats among the gaps.
class RepeatedHandOffs {
 public:
  RepeatedHandOffs(const GraphDraft& draft, Gaps& gaps)
      : draft_(draft), gaps_(gaps), paths_(paths_of_ops(draft.linked)) {}

  /// The places of gaps, and what may have ended each.
  void add(std::size_t gap, const BusyThreads& busy) {
    const Gap& one = gaps_[gap];
    gaps_at_[place_of(one.before, 1)].push_back(gap);
    gaps_at_[place_of(one.node, 2)].push_back(gap);
    const std::size_t first = candidates_.size();
    busy.visit_ended_inside(one, [&](NodeIndex node, Ns since) {
      const std::uint64_t place = place_of(node, 0);
      auto known =
          std::find_if(candidates_.begin() + static_cast<std::ptrdiff_t>(first), candidates_.end(),
                       [&](const Candidate& candidate) { return candidate.place == place; });
      if (known == candidates_.end() && candidates_.size() - first == kMostPlaces) return;
      if (known == candidates_.end())
        known = candidates_.insert(
            known, {gap, node, place, one.time - draft_.end_ns(node), 0, one.time - since});
      ++known->nodes;
    });
  }

  /// Once all gaps were added.
  void find() {
    std::vector<Hypothesis> accepted;
    for (const auto& [place, gaps] : gaps_at_)
      if (gaps.size() >= kLeastRepeats)
        if (Hypothesis best = best_of(gaps); best.log_chance <= kMostLogChance)
          accepted.push_back(std::move(best));
    // Places are hashes: their order must not show.
    std::sort(accepted.begin(), accepted.end(), [](const Hypothesis& a, const Hypothesis& b) {
      return std::tuple(a.log_chance, a.first()) < std::tuple(b.log_chance, b.first());
    });
    for (const Hypothesis& hypothesis : accepted)
      for (const Candidate& candidate : hypothesis.candidates) {
        Gap& gap = gaps_[candidate.gap];
        if (gap.inferred == Inference::kPlace) continue;
        gap.source = candidate.node;
        gap.inferred = Inference::kPlace;
      }
  }

 private:
  /// All gaps at one place waited for what happened at another.
  struct Hypothesis {
    std::vector<Candidate> candidates;  ///< also of gaps that ended later than most
    std::size_t seen = 0;               ///< so many of them end as long before
    Ns lag = 0;                         ///< the shortest of these
    Ns spread = 0;                      ///< of the lags' middle half
    double log_chance = 0;              ///< that it is seen so often by chance

    /// The first of its gaps, and what ended that.
    std::pair<std::size_t, NodeIndex> first() const {
      std::pair<std::size_t, NodeIndex> first(std::numeric_limits<std::size_t>::max(), {});
      for (const Candidate& one : candidates) first = std::min(first, {one.gap, one.node});
      return first;
    }
  };

  /// Equal for the same place of the program; `side` tells places before gaps from those behind.
  std::uint64_t place_of(NodeIndex index, std::uint64_t side) const {
    const Node& node = draft_.nodes[index];
    const bool is_call = node.kind == NodeKind::kCall;
    const LinkedOpIndex op = is_call ? draft_.linked.calls.parent[node.call()] : node.op();
    std::uint64_t place = mixed(node.lane.value, side);
    place = mixed(place, static_cast<std::uint64_t>(node.kind));
    if (is_call) place = mixed(place, static_cast<std::uint64_t>(node.name));
    return mixed(place, op ? paths_[op] : 0);
  }

  /// Of what ended inside nearly as many gaps as any that which ended most evenly before their
  /// ends.
  Hypothesis best_of(const std::vector<std::size_t>& gaps) const {
    std::map<std::uint64_t, std::vector<Candidate>> by_place;
    for (const std::size_t gap : gaps)
      for (auto at = first_of(gap); at != candidates_.end() && at->gap == gap; ++at)
        by_place[at->place].push_back(*at);
    Ns idle = 0;
    for (const std::size_t gap : gaps) idle = saturated_sum(idle, gaps_[gap].idle());
    std::vector<Hypothesis> possible;
    std::size_t most_seen = 0;
    for (auto& [place, candidates] : by_place) {
      Hypothesis one = test(std::move(candidates), idle);
      one.log_chance += std::log(static_cast<double>(by_place.size()));
      if (one.log_chance > kMostLogChance) continue;
      most_seen = std::max(most_seen, one.seen);
      possible.push_back(std::move(one));
    }
    std::erase_if(possible,
                  [&](const Hypothesis& one) { return one.seen * 100 < most_seen * kNearlyAll; });
    Ns least_spread = std::numeric_limits<Ns>::max();
    for (const Hypothesis& one : possible) least_spread = std::min(least_spread, one.spread);
    // What a thread does behind the hand-off ends as evenly where it is short: in doubt the first.
    Hypothesis best;
    for (Hypothesis& one : possible) {
      if (one.spread > saturated_sum(saturated_sum(least_spread, least_spread), kStampsDiffer))
        continue;
      if (best.seen == 0 || one.lag > best.lag ||
          (one.lag == best.lag && one.first() < best.first()))
        best = std::move(one);
    }
    return best;
  }

  std::vector<Candidate>::const_iterator first_of(std::size_t gap) const {
    return std::partition_point(candidates_.begin(), candidates_.end(),
                                [=](const Candidate& candidate) { return candidate.gap < gap; });
  }

  /// idle: of all gaps at the place.
  Hypothesis test(std::vector<Candidate> candidates, Ns idle) const {
    Hypothesis tested;
    if (candidates.size() < kLeastRepeats) return tested;
    std::sort(candidates.begin(), candidates.end(),
              [](const Candidate& a, const Candidate& b) { return a.lag < b.lag; });
    std::size_t begin = 0, seen = 0;
    for (std::size_t first = 0, last = 0; first < candidates.size(); ++first) {
      while (last < candidates.size() && candidates[last].lag <= latest(candidates[first].lag))
        ++last;
      if (last - first <= seen) continue;
      begin = first;
      seen = last - first;
    }
    if (seen < kLeastRepeats) return tested;
    Ns explained = 0;
    for (std::size_t i = begin; i < begin + seen; ++i)
      explained = saturated_sum(explained, gaps_[candidates[i].gap].idle());
    if (explained < idle / 100 * kLeastPercentOfIdle) return tested;
    tested.lag = candidates[begin].lag;
    tested.spread = candidates[begin + seen * 3 / 4].lag - candidates[begin + seen / 4].lag;
    const Ns width = std::max(kLeastVaries, candidates[begin + seen - 1].lag - tested.lag);
    tested.log_chance = std::log(static_cast<double>(seen));
    double least = 0;  // of the one that says where the others must be
    for (std::size_t i = begin; i < begin + seen; ++i) {
      const double share =
          std::min(1.0, static_cast<double>(width) * static_cast<double>(candidates[i].nodes) /
                            static_cast<double>(candidates[i].in));
      tested.log_chance += std::log(share);
      least = std::min(least, std::log(share));
    }
    tested.log_chance -= least;
    tested.seen = seen;
    tested.candidates = std::move(candidates);
    return tested;
  }

  static Ns latest(Ns lag) { return saturated_sum(lag, std::max(kVaries, lag / kVariesPart)); }

  const GraphDraft& draft_;
  Gaps& gaps_;
  const ByRow<LinkedOps, std::uint64_t> paths_;
  std::vector<Candidate> candidates_;  // by gap
  std::map<std::uint64_t, std::vector<std::size_t>> gaps_at_;
};

}  // namespace

void add_gap_hand_off(const GraphDraft& draft, EdgeList& edges) {
  Gaps gaps = unexplained_gaps(draft, edges);
  if (gaps.empty()) return;
  BusyThreads busy(draft);
  RepeatedHandOffs repeated(draft, gaps);
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    busy.go_to(gaps[i].time);
    repeated.add(i, busy);
    if (gaps[i].idle() >= kLongIdle)
      gaps[i].source = busy.only_one_that_stopped(gaps[i].lane, gaps[i].time);
  }
  repeated.find();
  for (const Gap& gap : gaps)
    if (gap.source) edges.add({gap.source, gap.node, Evidence::kThreadHandOff, gap.inferred});
}

}  // namespace nadi
