// Reads GOAL schedules as LogGOPSim does, and says what is wrong with them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace nadi::goal {

/// An operation: rank, and its number there.
using GoalPlace = std::pair<std::size_t, std::size_t>;

struct GoalOp {
  enum class Kind { kCalc, kSend, kReceive } kind = Kind::kCalc;
  std::string label;
  std::int64_t amount = 0;  ///< ns, or bytes
  std::int64_t peer = -1, tag = 0;
  int cpu = 0;
  std::vector<std::size_t> after;        ///< operations of the rank whose end it requires
  std::vector<std::size_t> after_start;  ///< those whose start it requires
  GoalPlace partner{};                   ///< of a message that is paired: its other end
};

struct GoalSchedule {
  std::vector<std::vector<GoalOp>> ranks;
  /// What is wrong, the first few: lines that are no GOAL, labels that do not resolve or come
  /// twice, cpus that the binary form has no room for, sends without receive and the reverse.
  std::vector<std::string> problems;
};

GoalSchedule read_goal(const std::string& text);

}  // namespace nadi::goal
