// Finds launches that return only when what they launched has ended, as those of a device whose
// profiler, or whose user (CUDA_LAUNCH_BLOCKING=1), makes them wait.
#pragma once

#include "nadi/model/device_trace.h"

namespace nadi {

/// Returns of each call whether it launches and then waits. That is decided by name, over all calls
/// of one row: how long after its row a call returns hardly varies, while what the rows take varies
/// a lot, so nothing but the row's end explains when the call returns. Calls of which fewer than 20
/// have a row are taken not to wait.
ByRow<RuntimeCalls, bool> launches_that_wait(const DeviceTrace& device);

}  // namespace nadi
