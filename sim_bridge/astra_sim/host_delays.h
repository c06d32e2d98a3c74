// Time in which a rank did nothing, as delays on the host.
#pragma once

#include "nadi/base/diagnostics.h"
#include "nadi/sim_bridge/job/job.h"

namespace nadi::astra_sim {

/// Time in which no host thread worked, and which nothing the next node waits for explains, becomes
/// a host delay before it. For a device node any other one at work explains, too. Where the rank
/// began later than others did, that time is idle as well, and all its nodes wait for it.
void add_host_delays(JobRank& rank, Diagnostics& diagnostics);

}  // namespace nadi::astra_sim
