// ASTRA-sim frees the implementation of a type of collective twice at its end where a rank uses it
// in two groups, each smaller than the network. It may abort then, and loses its output
// (running.md, "Jobs that end").
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/sim_bridge/astra_analytical/network_model.h"
#include "nadi/sim_bridge/astra_sim/collective_use.h"

namespace nadi::astra_sim {

/// "rank 3 uses ALL_REDUCE in groups 1 and 9"
std::string two_groups_text(std::int64_t type, const TwoGroups& groups);

/// True if a list of two implementations, which makes each group a ring, costs nothing: as a ring
/// an all-to-all takes n(n-1)/2 steps, more than other algorithms unless n is 2.
bool may_be_ring(std::int64_t type, const TypeUse& use);

/// Gives a network of one dimension on which it would happen a second one and NPUs that idle, so
/// that lists of two are read and the group of all ranks is smaller than the network, too. Returns
/// whether it did. Throws Error(kInput) for the congestion-aware backend and for a Ring.
bool add_idle_dimension(const CollectiveUse& use, Network& network, Diagnostics& diagnostics);

/// Makes the list of a type, for a network that was given with one dimension, one of two rings
/// where a rank uses it in two groups: then each group has its own, freed once. Where the type
/// may not be a ring (all-to-all), the list stays and it is reported. `has_idle`: of
/// add_idle_dimension.
void give_groups_their_own(std::int64_t type, const TypeUse& use, bool has_idle,
                           std::vector<Implementation>& list, Diagnostics& diagnostics);

}  // namespace nadi::astra_sim
