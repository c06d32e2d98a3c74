// A job as one GOAL schedule, the text LogGOPSim, ATLAHS and its htsim run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "nadi/base/byte_sink.h"
#include "nadi/base/diagnostics.h"
#include "nadi/sim_bridge/goal/lowering.h"
#include "nadi/sim_bridge/job/job.h"

namespace nadi::goal {

/// The processors (`cpu`) of a rank.
enum class Lanes : std::uint8_t {
  kAll,  ///< one for each lane: for simulators in which they wait for each other, as ATLAHS
  kOne,  ///< one in all (one_lane.h): for those in which they do not, as spcl's LogGOPSim
};

struct GoalOptions {
  Lanes lanes = Lanes::kAll;
  Algorithm collectives = Algorithm::kAuto;
  std::int64_t ring_from = 65536;      ///< bytes; kAuto: the ring from this size on
  bool drops_lonely_messages = false;  ///< sends and receives whose other end has no node
};

struct GoalCounts {
  std::uint64_t calcs = 0, sends = 0, receives = 0, requires_ = 0;
  std::uint64_t shared_nodes = 0;  ///< of recorded ranks, shortened by share_out_optimizer
};

/// Matches the ranks' communication, orders it and writes the job, rank after rank: a `calc` in ns
/// per host, device and delay node, of delays on a `cpu` that no lane needs, sends and receives as
/// such, collectives as the steps of lowering.h between two empty calcs. Throws Error(kInput) as
/// match_communications and visit_ranks do, and where collectives become over 67 million steps.
GoalCounts write_goal(Job& job, const GoalOptions& options, const ByteSink& sink,
                      Diagnostics& diagnostics);

/// The shell commands that turn PREFIX.goal into the binary form and run it in the LogGOPSim of
/// ATLAHS on a network of this latency of a message (-L) and bandwidth (1 / -G, in units of 10^9
/// bytes).
std::string command_line(const std::string& prefix, Ns latency_ns, double bandwidth_gb_per_s);

}  // namespace nadi::goal
