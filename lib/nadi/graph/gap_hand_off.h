// Threads that waited for another, by what repeats and by their times.
#pragma once

#include "nadi/graph/edge_list.h"
#include "nadi/graph/graph_draft.h"

namespace nadi {

/// Infers hand-offs between threads, through queues, locks and futures of which no trace tells
/// (R16): for threads that go on after they were idle, with no edge that explains when.
/// - Where a thread goes on, at one place of its program, always as long after what another thread
///   did at one place of its own (Inference::kPlace). What most gaps of a place show holds for all
///   in which that ended.
/// - Where it was idle for long and one other thread alone had worked right before, which then did
///   nothing for long (Inference::kTiming).
void add_gap_hand_off(const GraphDraft& draft, EdgeList& edges);

}  // namespace nadi
