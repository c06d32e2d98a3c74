// Time in which a rank did nothing, as delays on the host.
#pragma once

#include "nadi/base/diagnostics.h"
#include "nadi/sim_bridge/job/job.h"

namespace nadi::astra_sim {

/// Time in which no host thread worked becomes a host delay before the next node, unless something
/// that this node waits for was still running. Before a device node, any other device node that was
/// running explains the time, too. A rank that began later than others gets a delay for that, which
/// all its nodes wait for.
void add_host_delays(JobRank& rank, Diagnostics& diagnostics);

}  // namespace nadi::astra_sim
