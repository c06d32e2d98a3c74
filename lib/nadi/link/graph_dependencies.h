// Tells for every launch of a CUDA graph what its rows wait for inside it, from what the profiler
// recorded in any launch.
#pragma once

#include "nadi/base/diagnostics.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

/// Sets linked.graph_dependencies and linked.rows.has_recorded_order from the dependencies of
/// linked.device. A graph's dependencies are the same in all its launches (N62); where a row was
/// lost, what waits for it waits for what it waited for. Dependencies that a launch contradicts
/// count only where they were recorded ("graph-dependencies-contradict"). Rows of child and
/// conditional graphs, which have none, are none of recorded order (N35), nor are earlier rows of a
/// node that ran several times in a launch (N36).
void learn_graph_dependencies(LinkedTrace& linked, Diagnostics& diagnostics);

}  // namespace nadi
