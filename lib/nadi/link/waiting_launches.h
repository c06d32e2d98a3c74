// Finds launches that return only when what they launched has ended, as those of a device whose
// profiler, or whose user (CUDA_LAUNCH_BLOCKING=1), makes them wait.
#pragma once

#include "nadi/model/device_trace.h"

namespace nadi {

/// Returns of each call whether it launches and then waits. That is decided by name, by the calls
/// whose rows take 100 us or more in all: ten of them at least, which return -50 to 100 us after
/// their last row's end, by the median, and nine of ten no further from that than half of what
/// their rows take, or 100 us. Calls that do not wait return before such rows have begun, or soon
/// after.
ByRow<RuntimeCalls, bool> launches_that_wait(const DeviceTrace& device);

}  // namespace nadi
