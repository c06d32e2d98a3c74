// Finds what looks wrong in a profile, worst first, each with its place and what to do.
#pragma once

#include "nadi/converters/profile/profile.h"
#include "nadi/sim_bridge/replay/replay_job.h"

namespace nadi {

/// All else of the profile, of the same steps, must be there.
std::vector<ProfileFinding> find_what_looks_wrong(const ReplayJob& job,
                                                  std::optional<StepRange> steps,
                                                  const Profile& profile);

}  // namespace nadi
