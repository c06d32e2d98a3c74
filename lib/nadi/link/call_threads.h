// Puts calls on the thread that made them, where the profiler has named another one.
#pragma once

#include "nadi/base/diagnostics.h"
#include "nadi/model/device_trace.h"

namespace nadi {

/// Kineto names the thread of a call by a number that is reused after a thread ends, so two threads
/// that work one after the other may share it. A call whose `External id` names exactly one op, and
/// that lies inside that op, is moved to the op's thread; the calls that follow it under the same
/// number are moved with it, until the next one that names its op.
/// Cuspy, PyTorch's profiler beside Kineto (schema/kineto.md), only guesses the thread of a call
/// (N19), and its calls do not name their op.
///
/// A call fits a thread if one op of the thread (`cpu_op`) is open during all of the call, and
/// meanwhile the thread begins and ends no op and makes no other call. A call that does not fit its
/// own thread is suspect, unless more than a few calls of its kind (launches; others) on that
/// thread fit no thread at all: then the thread makes such calls outside its ops. Of suspect calls,
/// - those on a thread without ops are all moved to one thread, if nearly all of its launches that
///   fit one thread alone fit that one;
/// - each on a thread with ops is moved to the only thread that it fits, if there are three or more
///   of its kind. Where launches are suspect, the other calls that do not fit are so, too.
///
/// Reports "call-thread-repaired" of each call that is moved, and "call-thread-ambiguous" of
/// launches that stay where they are, though other threads may have made them.
void repair_call_threads(DeviceTrace& device, Diagnostics& diagnostics);

}  // namespace nadi
