// A rank of ASTRA-sim has one slot for all host threads and one for all streams: what worked at the
// same time runs one after the other.
#pragma once

#include "nadi/base/diagnostics.h"
#include "nadi/sim_bridge/job/job.h"

namespace nadi::astra_sim {

/// Host threads that worked at the same time, and kernels of several streams, get their shares of
/// that time as durations, none where the rank's graph does not say when nodes started. To be
/// called after visit_ranks has ordered the nodes, which needs the recorded ends.
void share_slots(const Graph& graph, JobRank& rank, Diagnostics& diagnostics);

}  // namespace nadi::astra_sim
