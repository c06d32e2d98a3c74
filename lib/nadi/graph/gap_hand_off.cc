#include <algorithm>
#include <limits>

#include "nadi/graph/stages.h"

namespace nadi {
namespace {

/// A thread must have been idle this long to look as if it had waited for another.
constexpr Ns kLongIdle = 1'000'000;
/// How soon after the other thread stopped it must have gone on.
constexpr Ns kWakesUp = 50'000;

class GapHandOff {
 public:
  GapHandOff(Draft& draft, Diagnostics& diagnostics)
      : draft_(draft), diagnostics_(diagnostics), is_explained_(draft.nodes.size(), false) {
    for (const DraftEdge& edge : draft.edges)
      if (edge.evidence == Evidence::kThreadHandOff || edge.evidence == Evidence::kSynchronisation)
        is_explained_[edge.target] = true;
  }

  void add_lane(std::uint32_t lane) {
    const auto& nodes = draft_.lane_nodes[lane];
    for (std::size_t i = 1; i < nodes.size(); ++i) {
      const Ns idle = draft_.start_ns(nodes[i]) - draft_.end_ns(nodes[i - 1]);
      if (idle < kLongIdle || is_explained_[nodes[i]]) continue;
      const std::uint32_t stopped = only_one_that_stopped(lane, draft_.start_ns(nodes[i]));
      if (stopped != kNoIndex)
        draft_.add_edge({stopped, nodes[i], Evidence::kThreadHandOff, Inference::kTiming},
                        diagnostics_);
    }
  }

 private:
  /// Last node of the only other thread that worked in the last moments before the time, if that
  /// thread did nothing for long afterwards; else kNoIndex.
  std::uint32_t only_one_that_stopped(std::uint32_t waiting, Ns time) const {
    std::uint32_t found = kNoIndex;
    for (std::uint32_t lane = 0; lane < draft_.lane_nodes.size(); ++lane) {
      const auto& nodes = draft_.lane_nodes[lane];
      if (lane == waiting) continue;
      const auto after = std::partition_point(nodes.begin(), nodes.end(), [&](std::uint32_t node) {
        return draft_.start_ns(node) < time;
      });
      if (after == nodes.begin() || draft_.end_ns(*std::prev(after)) < time - kWakesUp) continue;
      const std::uint32_t last = *std::prev(after);
      const Ns next =
          after == nodes.end() ? std::numeric_limits<Ns>::max() : draft_.start_ns(*after);
      if (found != kNoIndex || draft_.end_ns(last) > time || next < draft_.end_ns(last) + kLongIdle)
        return kNoIndex;
      found = last;
    }
    return found;
  }

  Draft& draft_;
  Diagnostics& diagnostics_;
  std::vector<bool> is_explained_;
};

}  // namespace

void add_gap_hand_off(Draft& draft, Diagnostics& diagnostics) {
  GapHandOff gaps(draft, diagnostics);
  for (std::uint32_t lane = 0; lane < draft.lane_nodes.size(); ++lane) gaps.add_lane(lane);
}

}  // namespace nadi
