// Puts calls on the thread that made them, where the profiler has named another one.
#pragma once

#include "nadi/base/diagnostics.h"
#include "nadi/model/device_trace.h"

namespace nadi {

/// Moves calls of a trace by Cuspy, which knows the thread of a call by best effort only (N19); of
/// other traces nothing.
///
/// A call may be of a thread if one op of it (`cpu_op`) is open during all of the call, no op of it
/// begins or ends and no call of it is made meanwhile. A thread of which no op is open at a call
/// has made that call itself unless calls of its kind (launches; others) are never seen where no
/// other thread may have made them. Then:
/// - calls on a thread without ops are all of the one thread that may have made its launches, if
///   that is one for all of which it can be told;
/// - calls on a thread with ops are each of the only thread that may have made it.
/// Reports "call-thread-repaired", and "call-thread-ambiguous" of launches that stay where they
/// are, though several threads may have made them.
void repair_call_threads(DeviceTrace& device, Diagnostics& diagnostics);

}  // namespace nadi
