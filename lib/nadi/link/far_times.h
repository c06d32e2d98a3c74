// Drops the times of events whose stamps are those of another day (K32).
#pragma once

#include "nadi/base/diagnostics.h"
#include "nadi/model/device_trace.h"

namespace nadi {

/// Drops times that would stretch the trace: of events that begin over an hour before or after all
/// ops and calls (or most of them), or end over an hour after the last has begun. They are treated
/// as other garbage (K8): ops and calls are left out, device and sync rows have no times and stand
/// at their launches; each is reported as "garbage-time". Where more than one in ten of a table is
/// that far, the times of the table stay: the device has another clock, or the trace is that long.
/// A single far event among others is always dropped, however short the table. Linear, n log n
/// where ops or calls are far.
void forget_far_times(DeviceTrace& device, Diagnostics& diagnostics);

}  // namespace nadi
