// The lines of a GOAL schedule, handed on in pieces while they are written.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nadi/base/byte_sink.h"
#include "nadi/base/time.h"
#include "nadi/sim_bridge/goal/lowering.h"
#include "nadi/sim_bridge/goal/write_goal.h"

namespace nadi::goal {

/// Labels are those of one rank.
class ScheduleText {
 public:
  ScheduleText(const ByteSink& sink, std::size_t ranks);

  void begin_rank(std::size_t rank);
  void end_rank();
  /// Hands on what is left.
  GoalCounts finish();

  void calc(const std::string& label, Ns ns, std::uint32_t cpu);
  void send(const std::string& label, std::int64_t bytes, std::int64_t to, std::int64_t tag,
            std::uint32_t cpu);
  void receive(const std::string& label, std::int64_t bytes, std::int64_t from, std::int64_t tag,
               std::uint32_t cpu);
  /// `label` starts after `on` has ended (has started).
  void require(const std::string& label, const std::string& on);
  void require_start(const std::string& label, const std::string& on);

  /// A collective of these ranks, between the empty calcs LABEL_0 and LABEL: a step starts when the
  /// one before it has received, the end waits for all that was sent too.
  static std::string begin_of_collective(const std::string& label) { return label + "_0"; }
  /// What is sent in a step, from 0.
  static std::string send_of(const std::string& label, std::size_t step) {
    return label + "_" + std::to_string(step + 1) + "s";
  }
  void collective(const std::string& label, const std::vector<Step>& steps,
                  const std::vector<std::int64_t>& members, std::int64_t tag, std::uint32_t cpu);

 private:
  void put_cpu(std::uint32_t cpu);

  const ByteSink& sink_;
  std::string text_;
  GoalCounts counts_;
};

}  // namespace nadi::goal
