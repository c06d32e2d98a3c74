// Sums the critical path of a job, as it was measured, by what one can act on.
#pragma once

#include "nadi/converters/profile/profile.h"
#include "nadi/sim_bridge/replay/replay.h"

namespace nadi {

/// Fills in Profile::path and path_steps, which each add up to the job's time. measured:
/// measured_times() of the job.
void sum_critical_path(const ReplayJob& job, const ReplayTimes& measured, Profile& profile);

}  // namespace nadi
