// A rank of ASTRA-sim with host nodes must not end on a send or receive, and must have a node.
#pragma once

#include "nadi/base/diagnostics.h"
#include "nadi/sim_bridge/job/job.h"

namespace nadi::astra_sim {

/// A rank without nodes gets one; one that would end on a send or receive gets a compute node after
/// all others. `are_messages`: others become messages, or may.
void close_rank(JobRank& rank, bool are_messages, Diagnostics& diagnostics);

}  // namespace nadi::astra_sim
