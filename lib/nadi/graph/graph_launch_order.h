// What rows waited for on other lanes of their launch of a CUDA graph, by their times.
#pragma once

#include "nadi/graph/edge_list.h"
#include "nadi/graph/graph_draft.h"

namespace nadi {

/// Infers waits between the lanes of one launch of a CUDA graph. A row waited for a row of another
/// lane if it started right when that row ended, and long after its own lane was free. The first
/// row behind the launch on one of its lanes may have waited so, too. Launches whose order is
/// recorded are passed over.
void add_graph_launch_order(const GraphDraft& draft, EdgeList& edges);

}  // namespace nadi
