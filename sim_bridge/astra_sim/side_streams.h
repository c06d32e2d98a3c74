// Gives streams whose kernels run beside those of other streams ranks of their own, for a rank of
// the simulator has one slot for device compute.
#pragma once

#include <cstdint>
#include <vector>

#include "nadi/sim_bridge/job/job.h"

namespace nadi::astra_sim {

/// Of rank r, whole and in order, moves the kernels of such streams to ranks numbered from `first`
/// on, which it returns: one for each stream but the busiest of those that overlap. In the rank
/// each kernel becomes a communication with that rank (send_to_proxies), which computes for its
/// time.
std::vector<JobRank> move_side_streams(std::size_t r, std::size_t first, JobRank& whole);

}  // namespace nadi::astra_sim
