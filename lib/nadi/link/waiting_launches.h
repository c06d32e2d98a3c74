// Finds launches that return only when what they launched has ended, because the device's profiler,
// or the user (CUDA_LAUNCH_BLOCKING=1), makes them wait.
#pragma once

#include "nadi/base/hypothesis.h"
#include "nadi/model/device_trace.h"

namespace nadi {

/// Returns, by call, whether it launches and then waits. All calls of one name are judged alike, by
/// those of them whose rows are long. They wait if there are enough such calls, if their median
/// return lies between 50 us before and 100 us after the end of their last row, and if nearly all
/// differ from this median by at most 100 us and half of what their rows take
/// (Hypothesis::kLaunchesWait). Calls that do not wait return before such rows have begun, or soon
/// after.
ByRow<RuntimeCalls, bool> launches_that_wait(const DeviceTrace& device,
                                             const Hypotheses& hypotheses);

}  // namespace nadi
