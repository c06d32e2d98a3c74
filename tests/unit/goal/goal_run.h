// Runs GOAL schedules on a network that costs nothing.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "tests/unit/goal/goal_reader.h"

namespace nadi::goal {

/// What a simulator makes of a `requires` whose two ends are on different cpus.
enum class Between {
  kWaits,   ///< the later one starts after the earlier one's end: ATLAHS
  kIgnored  ///< it starts when its own cpu is free: LogGOPSim of spcl
};

struct GoalRunOptions {
  Between between = Between::kWaits;
  /// Longer messages hold their sender until they are received (-S of both simulators).
  std::int64_t eager_bytes = std::numeric_limits<std::int64_t>::max();
};

struct GoalRun {
  std::int64_t makespan_ns = 0;  ///< when the last cpu is free
  std::size_t stuck = 0;         ///< operations that never end
};

/// Runs the schedule with -L 0 -o 0 -g 0 -G 0: one operation of a cpu at a time, in the order in
/// which they become ready; a message is taken when its receive is posted and the cpu is free.
GoalRun run_goal(const GoalSchedule& schedule, const GoalRunOptions& options = {});

}  // namespace nadi::goal
