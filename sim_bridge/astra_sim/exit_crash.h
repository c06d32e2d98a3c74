// ASTRA-sim frees the implementation of a type of collective twice at its end where a rank uses it
// in two groups, each smaller than the network. It may abort then, and lose its output
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

/// A list of two implementations makes each group of the type a ring. True if that costs nothing:
/// of all types but all-to-all, which takes n(n-1)/2 steps as a ring of n ranks, and fewer with
/// other algorithms unless n is 2.
bool may_be_ring(std::int64_t type, const TypeUse& use);

/// Gives a network of one dimension on which this would happen a second dimension, and NPUs that
/// idle. So the simulator reads lists of two implementations, and the group of all ranks is smaller
/// than the network, too. Returns whether it did. Throws Error(kInput) for the congestion-aware
/// backend and for a Ring.
bool add_idle_dimension(const CollectiveUse& use, Network& network, Diagnostics& diagnostics);

/// For a network that was given with one dimension: makes the list of a type that a rank uses in
/// two groups a list of two rings. Then each group has an implementation of its own, which is freed
/// once. Where the type may not be a ring (all-to-all), the list stays, and that is reported.
/// `has_idle`: what add_idle_dimension returned.
void give_groups_their_own(std::int64_t type, const TypeUse& use, bool has_idle,
                           std::vector<Implementation>& list, Diagnostics& diagnostics);

}  // namespace nadi::astra_sim
