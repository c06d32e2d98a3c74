// Gives what runs beside the slots of a rank ranks of its own: streams whose kernels run beside
// those of other streams, host work beside that of other threads, and delays, which hold up what
// waits for them and nothing else.
#pragma once

#include <cstdint>
#include <vector>

#include "nadi/sim_bridge/job/job.h"

namespace nadi::astra_sim {

/// Delays become whole microseconds, as the schema's durations are; what is left adds up along
/// their lane, and those that are left with none are dropped (relink_dropped).
void gather_short_delays(JobRank& rank);

/// Of rank r, whole and in order, moves nodes to ranks numbered from `first` on, which it returns:
/// one for the kernels of each stream but the busiest of those that overlap, one for each thread
/// with nodes that ran beside those of a busier one, and so many for delays that those which were
/// measured side by side are on different ones. In the rank each of these nodes becomes a
/// communication with that rank (send_to_proxies), which computes for its time on the device:
/// ranks of host nodes must not end on a message. `memory_gb_per_s`: for costs by time.
std::vector<JobRank> move_aside(std::size_t r, std::size_t first, double memory_gb_per_s,
                                JobRank& whole);

}  // namespace nadi::astra_sim
