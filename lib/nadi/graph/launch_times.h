// Finds when launch calls gave their rows to the device, and how soon a row can start after that.
#pragma once

#include <cstdint>
#include <vector>

#include "nadi/model/linked_trace.h"

namespace nadi {

/// A launch call that lasts longer did more than launch: it loaded a module, uploaded a graph, or
/// waited for room in a full queue.
inline constexpr Ns kLongLaunch = 20'000;

/// Returns, by runtime call, when it gave its first row to the device. That is the begin of a short
/// call, of one that launches nothing, and of a copy from or to pageable memory; a long one
/// (kLongLaunch) did so at the latest when it returned, and at least the smallest latency of its
/// API before its row started. That latency is the smallest from begin to start among short calls
/// on a stream that was idle; of an API without such calls the smallest of all.
ByRow<RuntimeCalls, Ns> launch_times(const LinkedTrace& linked);

}  // namespace nadi
