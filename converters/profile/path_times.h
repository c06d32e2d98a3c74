// Sums the critical path of a job, as it was measured, by what one can act on.
#pragma once

#include "nadi/converters/profile/profile.h"
#include "nadi/sim_bridge/replay/replay.h"

namespace nadi {

/// Adds path_ns and the path's shares to the profile. measured: measured_times() of the job.
void add_path_times(const ReplayJob& job, const ReplayTimes& measured, Profile& profile);

}  // namespace nadi
