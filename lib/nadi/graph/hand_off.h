// The forward and the backward pass, which wait for each other.
#pragma once

#include "nadi/graph/edge_list.h"
#include "nadi/graph/graph_draft.h"

namespace nadi {

/// Adds edges from the forward thread to the backward thread and back, and from each forward op to
/// its backward op.
void add_thread_hand_off(const GraphDraft& draft, EdgeList& edges);

}  // namespace nadi
