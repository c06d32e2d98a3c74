// Host and device that work in turns: a row, a delay that waits for it, the row that waits for
// that.
#pragma once

#include "nadi/sim_bridge/astra_sim/known_times.h"
#include "nadi/sim_bridge/astra_sim/ordered_nodes.h"

namespace nadi::astra_sim {

/// Where a row, a host node that waits for it, the next row that waits for that one, and so on, do
/// nothing but take turns, lets the host nodes run first and the rows behind them: the last row
/// ends when it did, and nothing else waits for what lies between. Their times must be known,
/// neither host nor device may do anything else meanwhile, and the host must stand still until the
/// last row has ended. Changes the order of `rank` and its dependencies, which become those of
/// `nodes`. Returns whether it did. O(n) in nodes and dependencies.
bool let_hosts_run_first(const OrderedNodes& nodes, const KnownTimes& known, JobRank& rank);

}  // namespace nadi::astra_sim
