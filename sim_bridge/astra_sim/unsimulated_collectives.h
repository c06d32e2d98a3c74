// ASTRA-sim throws at types of collectives that it does not simulate, and never ends a collective
// too small to be cut into its pieces.
#pragma once

#include "nadi/base/diagnostics.h"
#include "nadi/sim_bridge/astra_sim/rewrite.h"
#include "nadi/sim_bridge/job/job.h"

namespace nadi::astra_sim {

/// Replaces barriers and what else it does not simulate; then raises sizes. Comes after
/// match_communications, so that all members change alike.
void replace_collectives(Job& job, const RewriteOptions& options, Diagnostics& diagnostics);

}  // namespace nadi::astra_sim
