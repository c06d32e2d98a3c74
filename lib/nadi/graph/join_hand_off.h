// Threads that work only while another thread waits for them, inferred from what repeats.
#pragma once

#include "nadi/base/hypothesis.h"
#include "nadi/graph/edge_list.h"
#include "nadi/graph/thread_activities.h"

namespace nadi {

/// Infers hand-offs (Inference::kPlace) to threads that another thread starts and joins, as
/// DataParallel's replicas, where no edge explains either. All that such a thread does lies in gaps
/// of the other thread, and begins in one. At gaps between the same places of the program it begins
/// as long after the other thread went idle, and the other thread goes on as long after the last of
/// the threads that it joins there had ended, so often that it cannot be chance. For one of these
/// threads the time since the other's work must vary half as much, at the most, as the time since
/// its own last work: else it may just be busy for as long itself. A thread that is never the last
/// is joined, too, if it always does the same ops as one that is. Returns whether there are any.
bool add_join_hand_off(const Activities& activities, const Hypotheses& hypotheses, EdgeList& edges);

}  // namespace nadi
