// Makes one node of those that nobody outside distinguishes, so that a simulator has fewer.
#pragma once

#include <cstdint>
#include <vector>

#include "nadi/base/time.h"
#include "nadi/sim_bridge/job/job.h"

namespace nadi::astra_sim {

/// What became of a rank's nodes.
struct Coarsening {
  std::vector<std::uint32_t> fine_order;  ///< of the nodes before: JobRank::order
  std::vector<std::uint32_t> into;        ///< by node: the one it is part of now, mostly itself
};

/// Makes one node of nodes that follow each other on a lane, where each but the first starts the
/// moment the one before it ends under ASTRA-sim's issue rules, whatever a network does, and
/// nothing but the next waits for it: host nodes and delays, and rows of a stream. So that more of
/// them do, waits that never bind go (known_times.h), rows that are launched late end without gaps
/// (late_launches.h), and hosts that take turns with a device run first (turn_taking.h). With
/// `most_off_ns` something may wait for a node within, come between two nodes, or a launch may
/// bind: what waits starts that much later, or earlier, at most, as long as no host waits for it in
/// turn. The node has the name, row and lane of its first part that is no delay, the start of its
/// first, and the sums of durations, operations and bytes; JobNodes::merged counts the parts.
/// `rank`: in its final order, as written. O(n) in nodes and dependencies for each chain
/// (chains_of).
Coarsening coarsen(JobRank& rank, Ns most_off_ns);

}  // namespace nadi::astra_sim
