// Infers what the host waited for where events go through a queue.
#pragma once

#include "nadi/link/stream_calls.h"
#include "nadi/link/waits.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

/// Infers what the host waited for where events go through a queue, as FSDP's for gathered
/// parameters and those of double buffers do. If the synchronisations at one path of the program
/// that blocked were all for the n-th last event, the others at that path are so, too, unless one
/// contradicts it.
void infer_queued_event_waits(WaitList& waits, const LinkedTrace& linked, StreamCalls& calls);

}  // namespace nadi
