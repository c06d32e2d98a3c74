// Corrects the correlation of device rows that carry that of another launch.
#pragma once

#include "nadi/base/diagnostics.h"
#include "nadi/model/device_trace.h"

namespace nadi {

/// ROCm's profiler may write one correlation on the rows of several plain launches; on the rows of
/// a graph launch it is right. Of rows that share one, the first stays that the call does not
/// contradict by `External id`, `kernel` or name. Each of the others gets the correlation of a call
/// that has no row and fits it by both `External id` and `kernel`; where several rows and calls fit
/// each other, they are paired in the order in which rows start and calls begin. Where the calls
/// name no kernel, the `External id` and the kind of the row decide, but not where the call of the
/// correlation is lost. Rows with no sign of another launch stay. Reports each that moves,
/// as "correlation-repaired". O(n log n).
void repair_shared_correlations(DeviceTrace& device, Diagnostics& diagnostics);

}  // namespace nadi
