// Rows that a stream stands still for because the host launches them late.
#pragma once

#include <vector>

#include "nadi/sim_bridge/astra_sim/known_times.h"
#include "nadi/sim_bridge/astra_sim/ordered_nodes.h"

namespace nadi::astra_sim {

/// Removes the gaps between rows of a stream that wait only for late launches; the moment at which
/// the last row ends stays the same, whatever the network does. An example with three rows of 2 us
/// whose launches end 0, 5 and 10 us after the begin of a run of the host: the rows run from 0 to
/// 2, 5 to 7 and 10 to 12, so the last ends at 12 us, or later if the row before them ends late.
/// Now the first waits until 6 us after the run's begin, and the others only for the row before
/// them: they run from 6 to 12. A run is of host nodes that follow each other whatever a network
/// does (`follows`), so that its launches are at known times after its begin. Nothing else may wait
/// for one of the rows but the last, and no other row of the device may be able to run between
/// them. The moment for which the first row waits (6 us) must be the end of a host node: two
/// neighbours of the run share their time anew, if nothing waits for what lies between them (else
/// the rows stay as they are). Changes `nodes.on`, `nodes.ns` and the durations of `rank`, and says
/// in `follows` which rows follow.
/// Times are in whole microseconds, as the simulator has them. O(n) in nodes and dependencies for
/// each chain (chains_of).
void close_gaps_of_late_launches(OrderedNodes& nodes, const KnownTimes& known,
                                 std::vector<bool>& follows, JobRank& rank);

}  // namespace nadi::astra_sim
