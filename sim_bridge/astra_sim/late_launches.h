// Rows that a stream stands still for because the host launches them late.
#pragma once

#include <vector>

#include "nadi/sim_bridge/astra_sim/known_times.h"
#include "nadi/sim_bridge/astra_sim/ordered_nodes.h"

namespace nadi::astra_sim {

/// Moves rows of a stream that wait only for late launches together, so that the last of them ends
/// when it did, whatever the network does. For example three rows of 2 us whose launches end 0, 5
/// and 10 us after the begin of a run of the host: they run from 0 to 2, 5 to 7 and 10 to 12 us.
/// Now the first waits until 6 us, and the others only for the row before them: they run from 6 to
/// 12 us.
///
/// Such rows stay as they are unless all of this holds:
/// - Their launches are of one run: host nodes that follow each other whatever a network does
///   (`follows`), so that the launches are at known times after its begin.
/// - Nothing but the last of them holds anything else up, and no other row of the device can run
///   between them.
/// - A host node ends when the first row is to start (6 us), or two neighbours of the run can share
///   their time anew so that one does, since nothing waits for what lies between them.
///
/// Changes what `nodes` wait for, `nodes.ns` and the durations of `rank`, and says in `follows`
/// which rows follow. Times are in whole microseconds, as the simulator has them. O(n) in nodes and
/// dependencies for each chain (chains_of).
void close_gaps_of_late_launches(OrderedNodes& nodes, const KnownTimes& known,
                                 std::vector<bool>& follows, JobRank& rank);

}  // namespace nadi::astra_sim
