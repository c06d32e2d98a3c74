// Gives what runs beside the slots of a rank ranks of its own: streams whose kernels run beside
// those of other streams, and delays, which hold up what waits for them and nothing else.
#pragma once

#include <cstdint>
#include <vector>

#include "nadi/sim_bridge/job/job.h"

namespace nadi::astra_sim {

/// Delays below a microsecond, which the schema's durations cannot hold, add up along their lane:
/// the one with which they reach it holds it, all others are dropped (relink_dropped). Those that
/// stay get costs for the roofline mode.
void gather_short_delays(JobRank& rank, double memory_gb_per_s);

/// Of rank r, whole and in order, moves nodes to ranks numbered from `first` on, which it returns:
/// one for the kernels of each stream but the busiest of those that overlap, and so many for delays
/// that those which were measured side by side are on different ones. In the rank each of these
/// nodes becomes a communication with that rank (send_to_proxies), which computes for its time.
std::vector<JobRank> move_aside(std::size_t r, std::size_t first, JobRank& whole);

}  // namespace nadi::astra_sim
