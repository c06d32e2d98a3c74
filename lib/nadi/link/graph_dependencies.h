// Finds, for every launch of a CUDA graph, what its rows wait for inside it, from what the profiler
// recorded in any launch.
#pragma once

#include "nadi/base/diagnostics.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

/// Sets linked.graph_dependencies and linked.rows.has_recorded_order from the dependencies of
/// linked.device. A CUDA graph has the same dependencies in all its launches (N62), so what one
/// launch records holds in all. Where a row is lost, rows that waited for it wait for what it
/// waited for. A dependency that some launch contradicts holds only in the launches that record it
/// ("graph-dependencies-contradict"). Of some rows the order is not recorded: of rows of child and
/// conditional graphs, which have no dependencies (N35), and of all but the last row of a node that
/// ran several times in a launch (N36).
void learn_graph_dependencies(LinkedTrace& linked, Diagnostics& diagnostics);

}  // namespace nadi
