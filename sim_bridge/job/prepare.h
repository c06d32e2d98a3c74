// Prepares the ranks of a job as every target needs them.
#pragma once

#include "nadi/base/diagnostics.h"
#include "nadi/sim_bridge/job/job.h"

namespace nadi {

/// METADATA and INVALID nodes go away; memory nodes of other writers become compute nodes with
/// their measured duration.
void drop_unknown_types(JobRank& rank, Diagnostics& diagnostics);

/// Collectives of groups of one member go away: there is nobody to wait for.
void drop_lone_collectives(const Job& job, JobRank& rank, Diagnostics& diagnostics);

/// Device nodes nothing holds up follow the host node that had ended last when they started:
/// without a delay they would run before the program launched them.
void anchor_unlaunched(JobRank& rank, Diagnostics& diagnostics);

/// Kept host nodes, by start; equal starts in id order.
std::vector<std::uint32_t> host_nodes(const JobRank& rank);

}  // namespace nadi
