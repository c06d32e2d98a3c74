// Finds what looks wrong in a profile, worst first, each with its place and what to do.
#pragma once

#include "nadi/converters/profile/profile.h"
#include "nadi/sim_bridge/replay/replay_job.h"

namespace nadi {

/// Adds the findings. All else of the profile must be there.
void add_profile_findings(const ReplayJob& job, Profile& profile);

}  // namespace nadi
