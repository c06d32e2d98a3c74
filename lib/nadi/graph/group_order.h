// The order of collectives of a process group.
#pragma once

#include "nadi/graph/edge_list.h"
#include "nadi/graph/graph_draft.h"

namespace nadi {

/// Adds edges from each collective to the next one of its process group.
void add_group_order(const GraphDraft& draft, EdgeList& edges);

}  // namespace nadi
