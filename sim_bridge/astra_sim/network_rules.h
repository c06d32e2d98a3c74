// The rules that a job's network and system files can break.
#pragma once

#include <cstdint>
#include <optional>

#include "nadi/chakra/findings.h"
#include "nadi/sim_bridge/astra_sim/collective_use.h"
#include "nadi/sim_bridge/astra_sim/network_run.h"

namespace nadi::astra_sim {

/// Adds what the files lack or contradict of what the ranks use; without files, what such files
/// must hold. `ranks`: the number of those that have graphs.
void check_network(const CollectiveUse& use, std::int64_t ranks,
                   const std::optional<JobNetwork>& network, CheckFindingList& findings);

}  // namespace nadi::astra_sim
