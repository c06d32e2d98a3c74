// Cuts device rows that last longer than the rest of the trace allows (K32).
#pragma once

#include "nadi/base/diagnostics.h"
#include "nadi/link/clock_bounds.h"
#include "nadi/model/device_trace.h"

namespace nadi {

/// Cuts rows whose recorded begin or end is damaged, so that they seem to run for too long. A row
/// is damaged if
/// - it is longer than from the begin of its launch to the return of a call that waited for it;
///   it must have run in between, however wrong its device's clock is;
/// - or it ends after a row begins that was given to its stream later, and after a call that waited
///   for it has returned, by more than any other row of its device does; or begins before one of
///   its stream ends that was given to it earlier, and likewise before its own launch;
/// - or three rows that were given to its CUDA stream later, or earlier, lie wholly inside it.
///
/// The end becomes the earliest of the begin of the row given to the stream next, and of that
/// return; the begin the latest of the end of the row before it, and of its launch. Rows of graph
/// launches run beside others: of these only the first holds. Rows that were launched before the
/// trace come before all others, in the order of their correlations. Where more than one row in ten
/// of a device is damaged (but one is not too many), its times stay, "damaged-times-kept": it has
/// another clock, or its streams are no queues. Rows that are displaced as a whole stay, too.
/// Reports each that is cut as "damaged-time". O(n log n).
void cut_damaged_times(DeviceTrace& device, const ByRow<DeviceRows, RowLimits>& limits,
                       Diagnostics& diagnostics);

}  // namespace nadi
