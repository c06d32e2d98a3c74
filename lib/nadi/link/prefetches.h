// Finds the waits by which FSDP gathers parameters ahead.
#pragma once

#include "nadi/link/call_decisions.h"
#include "nadi/link/stream_calls.h"
#include "nadi/link/waits.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

/// Finds FSDP's prefetches and their uses among the open waits. FSDP gathers parameters ahead, on a
/// stream that runs no rows. On that stream the thread waits for the all-gather (the prefetch) and
/// records an event behind this wait. Later the thread lets the current stream wait for that event
/// (the use). Prefetches are used in the order in which they are made; but the last one is used
/// first where the record before the use is its own. A thread that uses few of them has none: its
/// records behind waits are of the current stream.
void find_prefetches(const WaitList& waits, const LinkedTrace& linked, const StreamCalls& calls,
                     CallDecisions& decisions);

}  // namespace nadi
