// Finds the waits by which FSDP gathers parameters ahead.
#pragma once

#include "nadi/link/stream_calls.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

/// Finds FSDP's prefetches and marks them in `calls`. FSDP gathers parameters ahead, on a stream
/// that runs no rows. On that stream the thread waits for the all-gather (the prefetch) and records
/// an event behind this wait. Later the thread lets the current stream wait for that event (the
/// use). Prefetches are used in the order in which they are made; but the last one is used first
/// where the record before the use is its own. A thread that uses few of them has none: its records
/// behind waits are of the current stream.
void find_prefetches(const LinkedTrace& linked, StreamCalls& calls);

}  // namespace nadi
