// ASTRA-sim throws at collectives that it does not simulate, and sizes that it cannot cut into
// pieces never end.
#pragma once

#include "nadi/base/diagnostics.h"
#include "nadi/sim_bridge/astra_sim/rewrite.h"
#include "nadi/sim_bridge/job/job.h"

namespace nadi::astra_sim {

/// Replaces barriers and what else it does not simulate; then raises sizes. Comes after
/// match_communications, so that all members change alike.
void replace_collectives(Job& job, const RewriteOptions& options, Diagnostics& diagnostics);

}  // namespace nadi::astra_sim
