// The steps of the rewriting, in the order of rewrite(); each is a file of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/sim_bridge/astra_sim/rewrite.h"
#include "nadi/sim_bridge/job/job.h"

namespace nadi::astra_sim {

/// Replaces barriers and what else it does not simulate; then sizes it cannot cut into pieces.
/// Comes after match_communications, so that all members change alike.
void replace_collectives(Job& job, const RewriteOptions& options, Diagnostics& diagnostics);
/// Kept nodes, by start; equal starts in id order.
std::vector<std::uint32_t> nodes_by_start(const JobRank& rank);
/// Each device compute node follows the one before it on its stream, so that few nodes are ready at
/// a time: the simulator's cost is quadratic in these.
void chain_streams(JobRank& rank);
/// Time in which no host thread worked, and which nothing the next node waits for explains, becomes
/// a host delay before it. For a device node any other one at work explains, too. Where the rank
/// began later than others did, that time is idle as well, and all its nodes wait for it.
void add_host_delays(JobRank& rank, Diagnostics& diagnostics);
/// What memory moves in the node's duration, so that the roofline mode gives that time.
void set_cost_by_time(JobNode& node, double memory_gb_per_s);
/// num_ops and tensor_size of device compute nodes, for the roofline mode (operation_cost.h).
void add_operations(const Graph& graph, JobRank& rank, double memory_gb_per_s,
                    Diagnostics& diagnostics);
/// Host threads that worked at the same time, and kernels of several streams, get their shares of
/// that time as durations: one slot runs them one after the other. Comes last, for the steps above
/// look at recorded ends.
void share_slots(JobRank& rank, Diagnostics& diagnostics);

}  // namespace nadi::astra_sim
