// Threads that waited for another, by their times.
#pragma once

#include "nadi/graph/edge_list.h"
#include "nadi/graph/graph_draft.h"

namespace nadi {

/// Infers hand-offs between threads. A thread that goes on after it was idle for long, with no edge
/// that explains when, waited for another thread: for the only one that had worked right before, if
/// that one then did nothing for long. The edge leads from the last node of that thread.
void add_gap_hand_off(const GraphDraft& draft, EdgeList& edges);

}  // namespace nadi
