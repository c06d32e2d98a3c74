// Infers what streams waited for from PyTorch's own call sequences.
#pragma once

#include "nadi/link/call_decisions.h"
#include "nadi/link/stream_calls.h"
#include "nadi/link/waits.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

/// Infers what streams waited for, by PyTorch's patterns (K29) and by timing. First come patterns
/// that leave one answer, then infer_timed_stream_waits. Where a pattern leaves several works of
/// one stream to choose from, and timing shows nothing, it is the first of them. What is explained
/// is no longer open; nor are waits that can hold up nothing, since they are of streams on which
/// NCCL and PyTorch run no rows. Returns what was decided of calls meanwhile.
CallDecisions infer_stream_waits(WaitList& waits, const LinkedTrace& linked,
                                 const StreamCalls& calls);

}  // namespace nadi
