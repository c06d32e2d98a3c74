// Measures communication: who came last, how long the others waited, how fast the bytes went.
#pragma once

#include "nadi/converters/profile/profile.h"
#include "nadi/sim_bridge/replay/replay_job.h"

namespace nadi {

/// Adds the profile's collectives and the sums of the ranks' waiting.
void add_collective_times(const ReplayJob& job, Profile& profile);

}  // namespace nadi
