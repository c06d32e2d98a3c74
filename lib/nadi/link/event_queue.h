// Infers what the host waited for from what repeats at one place of the program.
#pragma once

#include "nadi/link/stream_calls.h"
#include "nadi/link/waits.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

/// Infers for what synchronisations with events and streams, and loops of queries, waited that no
/// row tells (R14, R15). All calls at one place of the program are taken to wait for
/// the same, those with events first all at one path: for one stream; for the n-th last event of
/// those that no stream waits for, or that one place of the program recorded; or for what that
/// place recorded, one after the other. It must never contradict a call, and of some it must be
/// recorded, or calls that blocked must have returned as late as it says. Of several that which is
/// the last to end is taken. The limit of FSDP on its prefetches is known without calls that
/// blocked.
void infer_queued_event_waits(WaitList& waits, const LinkedTrace& linked, StreamCalls& calls);

}  // namespace nadi
