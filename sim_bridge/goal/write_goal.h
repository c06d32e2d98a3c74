// A job as one GOAL schedule, the text LogGOPSim, ATLAHS and its htsim run.
#pragma once

#include <cstdint>
#include <string_view>

#include "nadi/base/byte_sink.h"
#include "nadi/base/diagnostics.h"
#include "nadi/sim_bridge/goal/lowering.h"
#include "nadi/sim_bridge/job/job.h"

namespace nadi::goal {

struct GoalOptions {
  Algorithm collectives = Algorithm::kAuto;
  std::int64_t ring_from = 65536;      ///< bytes; kAuto: the ring from this size on
  bool drops_lonely_messages = false;  ///< sends and receives whose other end has no node
};

struct GoalCounts {
  std::uint64_t calcs = 0, sends = 0, receives = 0, requires_ = 0;
};

/// Matches the ranks' communication, orders it and writes the job, rank after rank: a `calc` in ns
/// per host, device and delay node on the `cpu` of its lane, sends and receives as such,
/// collectives as the steps of lowering.h between two empty calcs. Throws Error(kInput) as
/// match_communications and visit_ranks do, and where collectives become over 67 million steps.
GoalCounts write_goal(Job& job, const GoalOptions& options, const ByteSink& sink,
                      Diagnostics& diagnostics);

}  // namespace nadi::goal
