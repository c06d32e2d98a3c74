// Infers what streams waited for from what ran when.
#pragma once

#include "nadi/link/stream_calls.h"
#include "nadi/link/waits.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

/// Infers what streams waited for from timing: a row started right when a row of another lane had
/// ended. What is seen so at a call site also holds for the same call site in other iterations.
void infer_timed_stream_waits(WaitList& waits, const LinkedTrace& linked, const StreamCalls& calls);

}  // namespace nadi
