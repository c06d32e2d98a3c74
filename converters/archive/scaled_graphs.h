// The recorded graphs of a job as scales make them.
#pragma once

#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/sim_bridge/job/recorded_graphs.h"
#include "nadi/sim_bridge/replay/scale_graphs.h"

namespace nadi {

/// Reads all graphs, holds them, and gives them and their messages, where they have such, with the
/// times of scale_graphs. Throws what that and reading them throw.
RecordedGraphs scale_recorded(const RecordedGraphs& recorded, const std::vector<Scale>& scales,
                              ScaledRun& run, Diagnostics& diagnostics);

}  // namespace nadi
