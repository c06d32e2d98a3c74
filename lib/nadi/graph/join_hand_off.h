// Threads that work only while another thread waits for them, inferred from what repeats.
#pragma once

#include "nadi/base/hypothesis.h"
#include "nadi/graph/edge_list.h"
#include "nadi/graph/thread_activities.h"

namespace nadi {

/// Infers hand-offs (Inference::kPlace) to threads that another thread starts and joins, as
/// DataParallel's replicas, where no edge explains either. All that such a thread does lies in gaps
/// of the other thread, and begins in one. At gaps between the same places of the program two times
/// are nearly the same, so often that it cannot be chance: from when the other thread went idle to
/// the begin of this one, and from the end of the last of the threads that it joins there to its
/// going on. At least one of these threads must go on at least twice as steadily after the other's
/// work as after its own last work; otherwise each may simply have been busy for as long itself. A
/// thread that is never the last is joined, too, if it always does the same ops as one that is.
/// Returns whether there are any.
bool add_join_hand_off(const Activities& activities, const Hypotheses& hypotheses, EdgeList& edges);

}  // namespace nadi
