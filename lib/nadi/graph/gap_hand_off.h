// Threads that waited for another, by what repeats.
#pragma once

#include "nadi/graph/edge_list.h"
#include "nadi/graph/graph_draft.h"

namespace nadi {

/// Infers hand-offs between threads, through queues, locks and futures of which no trace tells
/// (R16): for threads that go on, with a node or a call, after they were idle, with no edge that
/// explains when. It did where it goes on, at one place of its program, always as long after what
/// another thread did at one place of its own, and not as long after its own last work
/// (Inference::kPlace). What is handed over there is taken in turn, also where nobody had to wait
/// for it. That takes all calls of the trace, which show when threads were awake.
void add_gap_hand_off(const GraphDraft& draft, EdgeList& edges);

}  // namespace nadi
