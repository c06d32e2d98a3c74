// Reads GOAL schedules as LogGOPSim does, and says what is wrong with them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nadi::goal {

struct GoalOp {
  enum class Kind { kCalc, kSend, kReceive } kind = Kind::kCalc;
  std::string label;
  std::int64_t amount = 0;  ///< ns, or bytes
  std::int64_t peer = -1, tag = 0;
  int cpu = 0;
  std::vector<std::size_t> after;  ///< operations of the rank it requires
};

struct GoalSchedule {
  std::vector<std::vector<GoalOp>> ranks;
  /// What is wrong, the first few: lines that are no GOAL, labels that do not resolve or come
  /// twice, sends without receive and the reverse, circles.
  std::vector<std::string> problems;
  /// When the last operation ends if messages take no time and every cpu runs one at a time.
  std::int64_t makespan_ns = 0;
};

GoalSchedule read_goal(const std::string& text);

}  // namespace nadi::goal
