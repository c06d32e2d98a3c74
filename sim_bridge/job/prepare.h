// Prepares the ranks of a job as every target needs them.
#pragma once

#include "nadi/base/diagnostics.h"
#include "nadi/sim_bridge/job/job.h"

namespace nadi {

/// Drops METADATA and INVALID nodes; memory nodes of other writers become compute nodes with their
/// measured duration.
void drop_unknown_types(JobRank& rank, Diagnostics& diagnostics);

/// Drops collectives of groups of one member: there is nobody to wait for.
void drop_lone_collectives(Job& job, Diagnostics& diagnostics);

/// A device node that depends on nothing is made to depend on the host node that had ended last
/// when it started. Without this, or a delay, it would run before the program launched it.
void anchor_unlaunched(JobRank& rank, Diagnostics& diagnostics);

/// Kept nodes, by start; equal starts in id order.
std::vector<std::uint32_t> nodes_by_start(const JobRank& rank);

}  // namespace nadi
