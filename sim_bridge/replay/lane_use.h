// Measures how busy each lane was in which step, and how much idle time the graph explains.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "nadi/sim_bridge/replay/replay.h"

namespace nadi {

/// The use of a lane as it was measured. Idle time lies before a node: from the end of the lane's
/// nodes before it, or else from the begin of the rank's first node. Time after the lane's last
/// node is not counted.
struct MeasuredUse {
  Ns busy_ns = 0;         ///< time in which at least one node runs
  Ns explained_ns = 0;    ///< idle until the last of what its nodes depend on has ended
  Ns unexplained_ns = 0;  ///< idle beyond that

  Ns idle_ns() const { return explained_ns + unexplained_ns; }
};

/// A lane of a rank within a step. All ns.
struct LaneUse {
  std::size_t graph = 0;                     ///< into ReplayJob::graphs
  std::uint32_t lane = 0;                    ///< into its lanes
  std::int32_t step = -1;                    ///< -1 = outside all steps
  std::size_t nodes = 0;                     ///< delays not counted
  std::optional<MeasuredUse> measured = {};  ///< nothing where the job was not measured
  Ns replayed_busy_ns = 0, replayed_idle_ns = 0;
};

/// Returns the use by graph, lane and step, in this order; lanes without nodes are left out. Delays
/// explain nothing: what a delay waits for is what the node behind it depends on.
std::vector<LaneUse> find_lane_use(const ReplayJob& job, const ReplayTimes& measured,
                                   const ReplayTimes& replayed);

/// Sums over steps, one entry per lane, step -1.
std::vector<LaneUse> sum_over_steps(const std::vector<LaneUse>& uses);

}  // namespace nadi
