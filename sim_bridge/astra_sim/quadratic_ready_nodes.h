// ASTRA-sim's cost is quadratic in the nodes of a rank that are ready at a time.
#pragma once

#include "nadi/sim_bridge/job/job.h"

namespace nadi::astra_sim {

/// Each device node that does not communicate follows the one before it on its stream, so that few
/// are ready at a time.
void chain_streams(JobRank& rank);

}  // namespace nadi::astra_sim
