// Shares out among the ranks of a larger job the computation that is done on shards.
#pragma once

#include <cstdint>

#include "nadi/sim_bridge/job/job.h"

namespace nadi {

/// Where the rank shares its optimizer, divides the time and the work of the device's part of it by
/// the number of copies: what has "optimizer" in its name, or was launched in an op that has, or
/// within one (PyTorch: Optimizer.step#AdamW.step). Host ops launch as many kernels as before.
/// Returns how many nodes became shorter.
std::uint64_t share_out_optimizer(const Job& job, std::size_t rank, const Graph& graph,
                                  JobRank& whole);

}  // namespace nadi
