// Threads that waited for another thread, inferred from what repeats.
#pragma once

#include "nadi/base/hypothesis.h"
#include "nadi/graph/edge_list.h"
#include "nadi/graph/thread_activities.h"

namespace nadi {

/// Infers hand-offs between threads through queues, locks and futures, which no trace records. A
/// thread was idle and goes on with a node or a call, and no edge explains when. It is taken to
/// have waited for another thread (Inference::kPlace) if, at this place of its program, the time
/// from one kind of work of the other thread to its going on is nearly the same, so often that it
/// cannot be chance, and the time since its own last work varies at least twice as much. What is
/// handed over there is taken in turn, one after the other, also where nobody had to wait for it.
void add_gap_hand_off(const Activities& activities, const Hypotheses& hypotheses, EdgeList& edges);

}  // namespace nadi
