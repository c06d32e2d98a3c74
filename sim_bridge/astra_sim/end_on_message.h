// ASTRA-sim aborts on a rank without nodes, and on a rank with host nodes that ends on a send or
// receive.
#pragma once

#include "nadi/base/diagnostics.h"
#include "nadi/sim_bridge/job/job.h"

namespace nadi::astra_sim {

/// A rank without nodes gets one; one that would end on a send or receive gets a compute node after
/// all others. `are_messages`: later steps may turn its last node into a message, so the compute
/// node is always added.
void close_rank(JobRank& rank, bool are_messages, Diagnostics& diagnostics);

}  // namespace nadi::astra_sim
