// Puts calls on the thread that made them, where the profiler has named another one.
#pragma once

#include "nadi/base/diagnostics.h"
#include "nadi/model/device_trace.h"

namespace nadi {

/// Moves calls of a trace by Cuspy, which knows the thread of a call by best effort only (N19); of
/// other traces nothing.
///
/// A call may be of a thread if one op of it (`cpu_op`) is open during all of the call, no op of it
/// begins or ends and no call of it is made meanwhile. A call that for its ops may not be of its
/// own thread is that thread's nonetheless if calls of its kind (launches; others) there are seen
/// where no other thread may have made them: the thread makes such calls outside its ops. Else
/// - calls on a thread without ops are all of the one thread that may have made its launches, if
///   these are of one;
/// - calls on a thread with ops, of which there are three at least, are each of the only thread
///   that may have made it; if that holds of its launches, also the others.
/// Reports "call-thread-repaired", and "call-thread-ambiguous" of launches that stay where they
/// are, though others may have made them.
void repair_call_threads(DeviceTrace& device, Diagnostics& diagnostics);

}  // namespace nadi
