// Chooses the shape of the network and the collective algorithms for what a job communicates.
#pragma once

#include <cstdint>
#include <optional>

#include "nadi/base/diagnostics.h"
#include "nadi/sim_bridge/astra_sim/collective_use.h"
#include "nadi/sim_bridge/astra_sim/network_run.h"
#include "nadi/sim_bridge/job/job.h"

namespace nadi::astra_sim {

/// The algorithm of a type. Where sizes are too small for the one that suits its groups
/// (least_bytes), it is a ring.
Implementation choose_implementation(std::int64_t type, const TypeUse& use, NetworkBackend backend,
                                     std::int64_t dataset_splits);

/// The number of ranks that share a node, if communication shows it: each group, and each sender
/// with its receiver, either lies in one block of so many ranks (as tensor-parallel ones do), or
/// has one rank at the same position in each of several blocks (as data- and pipeline-parallel ones
/// do), and there are some of either kind. std::nullopt = there is no such number, or a type would
/// need another implementation than the ring that groups get on two dimensions.
std::optional<std::int64_t> ranks_of_node(const Job& job);

/// Takes `plain`, a network with as many NPUs as the job has ranks, or of two dimensions with those
/// of tell_nodes_apart (network_choice.h), and its backend. Sets the implementations, and where it
/// has one dimension and a rank uses a type in two groups each smaller than the job, the dimensions
/// of which the NPUs beyond the ranks are idle (sim_bridge/astra_sim/running.md, "Jobs that end"):
/// such jobs name the group of all ranks, too. Reports both. Throws Error: kInput for such a job
/// and the congestion-aware backend or a Ring, kUsage for that backend and several dimensions, or
/// idle NPUs and collectives that name no group.
JobNetwork choose_network(const CollectiveUse& use, JobNetwork plain, Diagnostics& diagnostics);

}  // namespace nadi::astra_sim
