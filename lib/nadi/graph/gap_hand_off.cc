#include "nadi/graph/gap_hand_off.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <set>
#include <utility>
#include <vector>

namespace nadi {
namespace {

/// A thread must have been idle this long to look as if it had waited for another.
constexpr Ns kLongIdle = 1'000'000;
/// How soon after the other thread stopped it must have gone on.
constexpr Ns kWakesUp = 50'000;

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

/// A thread that went on at `time` after it was idle for long.
struct Gap {
  Ns time;
  LaneIndex lane;
  NodeIndex node;
  NodeIndex stopped = {};  // last node of the thread it waited for
};

std::vector<Gap> unexplained_gaps(const GraphDraft& draft, const EdgeList& found) {
  ByRow<Node, bool> is_explained(draft.nodes.size(), false);
  for (const DraftEdge& edge : found.edges())
    if (edge.evidence == Evidence::kThreadHandOff || edge.evidence == Evidence::kSynchronisation)
      is_explained[edge.target] = true;
  std::vector<Gap> gaps;
  for (const LaneIndex lane : rows_of(draft.lane_nodes)) {
    const auto& nodes = draft.lane_nodes[lane];
    for (std::size_t i = 1; i < nodes.size(); ++i) {
      const Ns idle = draft.start_ns(nodes[i]) - draft.end_ns(nodes[i - 1]);
      if (idle >= kLongIdle && !is_explained[nodes[i]])
        gaps.push_back({draft.start_ns(nodes[i]), lane, nodes[i]});
    }
  }
  return gaps;
}

}  // namespace

void add_gap_hand_off(const GraphDraft& draft, EdgeList& edges) {
  std::vector<Gap> gaps = unexplained_gaps(draft, edges);
  std::vector<std::size_t> by_time(gaps.size());
  std::iota(by_time.begin(), by_time.end(), std::size_t{0});
  std::stable_sort(by_time.begin(), by_time.end(),
                   [&](std::size_t a, std::size_t b) { return gaps[a].time < gaps[b].time; });
  BusyThreads busy(draft);
  for (const std::size_t i : by_time) {
    busy.go_to(gaps[i].time);
    gaps[i].stopped = busy.only_one_that_stopped(gaps[i].lane, gaps[i].time);
  }
  for (const Gap& gap : gaps)
    if (gap.stopped)
      edges.add({gap.stopped, gap.node, Evidence::kThreadHandOff, Inference::kTiming});
}

}  // namespace nadi
