// Infers what the host waited for from what ran when.
#pragma once

#include "nadi/base/diagnostics.h"
#include "nadi/link/stream_calls.h"
#include "nadi/link/waits.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

/// Infers what host threads waited for from timing: work ended inside the call, shortly before it
/// returned. What is seen so at a call site also holds for its other calls.
void infer_timed_host_waits(WaitList& waits, const LinkedTrace& linked, const StreamCalls& calls,
                            Diagnostics& diagnostics);

}  // namespace nadi
