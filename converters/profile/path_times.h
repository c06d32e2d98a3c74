// Sums the critical path of a job, as it was measured, by what one can act on.
#pragma once

#include "nadi/converters/profile/profile.h"
#include "nadi/sim_bridge/replay/replay.h"

namespace nadi {

/// Fills in Profile::path and path_steps, which each add up to the job's time, or to that of the
/// pieces whose nodes are of the chosen steps. measured: measured_times() of the job.
void sum_critical_path(const ReplayJob& job, const ReplayTimes& measured,
                       std::optional<StepRange> steps, Profile& profile);

}  // namespace nadi
