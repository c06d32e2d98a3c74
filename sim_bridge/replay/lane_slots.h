// Lanes of a replay: who holds each, and who waits for it.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <vector>

#include "nadi/sim_bridge/replay/replay.h"
#include "nadi/sim_bridge/replay/replay_job.h"

namespace nadi {

/// A time that is not known yet.
inline constexpr Ns kUnknownTime = std::numeric_limits<Ns>::max();

/// One lane. Nodes wait in id order.
struct LaneSlot {
  std::uint32_t holder = kNoIndex;  ///< node that ends last of those started; kNoIndex = none yet
  Ns free_at = kNoTime;             ///< its end, or kUnknownTime
  Ns next_look = kUnknownTime;  ///< when the queue is looked at next; kUnknownTime = not planned
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> waiting;
};

/// Which lane each node needs.
class ReplayLaneTable {
 public:
  static constexpr std::uint32_t kNoLane = kNoIndex;

  ReplayLaneTable(const ReplayJob& job, ReplayLanes lanes);
  /// kNoLane: the node excludes nobody.
  std::uint32_t lane_of(std::uint32_t node) const;
  std::size_t size() const { return lanes_; }
  /// Earliest start of the node as far as the lane is concerned; kUnknownTime, or kNoTime = any.
  Ns earliest_start(const LaneSlot& slot, std::uint32_t node) const;

 private:
  const ReplayJob& job_;
  ReplayLanes mode_;
  std::vector<std::vector<std::uint32_t>> lane_;  // by graph and its lane
  std::size_t lanes_ = 0;
};

}  // namespace nadi
