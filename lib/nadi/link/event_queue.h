// Infers what the host waited for from what repeats at one place of the program.
#pragma once

#include "nadi/link/call_decisions.h"
#include "nadi/link/stream_calls.h"
#include "nadi/link/waits.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

/// Infers what synchronisations with events and streams, and loops of queries, waited for, where no
/// row of the trace says it. All calls at one place of the program (of events first all calls of
/// one path) are taken to wait for the same:
/// - for one stream;
/// - for the n-th last event, of those that no stream waits for or of those that one place of the
///   program recorded;
/// - or for the events that one place recorded, one after the other, as from a queue.
/// Such an explanation must contradict no call; and for some calls it must be recorded, or calls
/// that blocked must have returned when it says. If several fit, the one whose work ended last is
/// taken. FSDP's limit on its prefetches is known even where no call blocked.
void infer_queued_event_waits(WaitList& waits, const LinkedTrace& linked, const StreamCalls& calls,
                              const CallDecisions& decisions);

}  // namespace nadi
