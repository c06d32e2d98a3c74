// Shares out among the ranks of a larger job the computation that is done on shards.
#pragma once

#include <cstdint>

#include "nadi/sim_bridge/job/job.h"

namespace nadi {

/// If the rank shares its optimizer, divides the time and work of the optimizer's device rows by
/// the number of copies. These are rows with "optimizer" in their name, and rows launched inside an
/// op that has it in its name or in that of an op around it (PyTorch: Optimizer.step#AdamW.step).
/// Host ops launch as many kernels as before. Returns how many nodes became shorter.
std::uint64_t share_out_optimizer(const Job& job, std::size_t rank, const Graph& graph,
                                  JobRank& whole);

}  // namespace nadi
