// Merges neighbouring nodes whose separate starts no simulated network can change, so that a
// simulator has fewer nodes.
#pragma once

#include <cstdint>
#include <vector>

#include "nadi/base/time.h"
#include "nadi/sim_bridge/job/job.h"

namespace nadi::astra_sim {

/// What became of a rank's nodes.
struct Coarsening {
  std::vector<std::uint32_t> fine_order;  ///< of the nodes before: JobRank::order
  std::vector<std::uint32_t> into;        ///< by node: the node that it is part of now
};

/// Merges nodes that follow each other on a lane if, under ASTRA-sim's issue rules and with any
/// network, each but the first starts the moment the one before it ends, and if nothing but the
/// next node waits for it: host nodes and delays, and rows of a stream. To have more of them, waits
/// that never bind are dropped (known_times.h), rows that are launched late end without gaps
/// (late_launches.h), and a host that takes turns with a device runs first (turn_taking.h).
///
/// With `most_off_ns`, something may wait for a node that is merged or come between two nodes, and
/// a launch may hold a row up: what waits then starts at most that much later, or earlier, as long
/// as no host waits for it in turn.
///
/// The merged node has the name, row and lane of its first part that is no delay, the start of its
/// first part, and the sums of durations, operations and bytes; JobNodes::merged counts the parts.
/// `rank`: in its final order, as written. O(n) in nodes and dependencies for each chain
/// (chains_of).
Coarsening coarsen(JobRank& rank, Ns most_off_ns);

}  // namespace nadi::astra_sim
