// The simulator runs one host node and one device node of a rank at a time. What runs beside them
// gets ranks of its own: streams whose kernels overlap those of other streams, threads whose work
// overlaps that of others, and delays, which hold up what waits for them and nothing else.
#pragma once

#include <cstdint>
#include <vector>

#include "nadi/sim_bridge/job/job.h"

namespace nadi::astra_sim {

/// Rounds delays to whole microseconds, as the schema's durations are: the remainders add up along
/// their lane. Delays that are left with no time are dropped (relink_dropped).
void gather_short_delays(JobRank& rank);

/// Moves nodes of rank r, whole and in order, to new ranks, numbered from `first` on, and returns
/// these: one for each stream that overlaps a busier one; one for each thread, for those of its
/// nodes that overlap nodes of a busier thread; and for the delays behind each lane as many as were
/// measured side by side. Where the node was, rank r communicates with the new rank
/// (send_to_proxies), which computes for the node's time. It does so on the device, for a host node
/// too: ranks of host nodes must not end on a message. `memory_gb_per_s`: for costs by time.
std::vector<JobRank> move_aside(std::size_t r, std::size_t first, double memory_gb_per_s,
                                JobRank& whole);

}  // namespace nadi::astra_sim
