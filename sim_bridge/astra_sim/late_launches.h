// Rows that a stream stands still for because the host launches them late.
#pragma once

#include <vector>

#include "nadi/sim_bridge/astra_sim/known_times.h"
#include "nadi/sim_bridge/astra_sim/ordered_nodes.h"

namespace nadi::astra_sim {

/// Lets rows of a stream follow each other without gaps where each waits for the host to launch it,
/// so that nothing but the end of the last one can be told apart. The launches are of one run of
/// the host, whose nodes follow each other whatever a network does (`follows`), so each is at a
/// known time after the run's begin. The rows end at the larger of two times: that of the row
/// before them and their durations, and that of the run and a constant. The first one therefore
/// waits for the moment of the run at which all of them, one after the other, end at that constant;
/// the others wait for the row before them alone. Nothing else may wait for a row within, nor any
/// other row of the device be able to run between them. The moment becomes the end of a host node:
/// two neighbours of the run share their time anew, if nothing waits for what lies between them
/// (else the rows stay as they are). Changes `nodes.on`, `nodes.ns` and the durations of `rank`,
/// and says in `follows` which rows follow.
/// Times are in whole microseconds, as the simulator has them. O(n) in nodes and dependencies for
/// each chain (chains_of).
void close_gaps_of_late_launches(OrderedNodes& nodes, const KnownTimes& known,
                                 std::vector<bool>& follows, JobRank& rank);

}  // namespace nadi::astra_sim
