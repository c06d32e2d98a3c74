// Measures the time that no dependency explains, and makes delay nodes of it.
#pragma once

#include "nadi/graph/build.h"
#include "nadi/graph/built_graph.h"
#include "nadi/graph/graph_draft.h"

namespace nadi {

/// Measures unexplained time into graph and adds the delay nodes; origin is the trace's start.
void add_delays(GraphDraft& draft, Delays delays, BuiltGraph& graph);

}  // namespace nadi
