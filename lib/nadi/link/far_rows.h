// Device rows whose stamps are those of another day (K32).
#pragma once

#include "nadi/base/diagnostics.h"
#include "nadi/model/device_trace.h"

namespace nadi {

/// Forgets the times of rows that start over an hour before the first runtime call or after the end
/// of the last: they would stretch the trace, and stand at their launches then, as other garbage
/// does (K8). Reported as "garbage-time". Where more than one row in ten is as far, the device has
/// another clock, and all times stay.
void forget_far_times(DeviceTrace& device, Diagnostics& diagnostics);

}  // namespace nadi
