// Launches: what device rows wait for on the host.
#pragma once

#include "nadi/graph/edge_list.h"
#include "nadi/graph/graph_draft.h"

namespace nadi {

/// Adds edges from the lane node that ends where the launch begins to the device row; comes after
/// all other host edges.
void add_launch_edges(const GraphDraft& draft, EdgeList& edges);

}  // namespace nadi
