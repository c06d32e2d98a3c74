// Measures communication: who came last, how long the others waited, how fast the bytes went.
#pragma once

#include "nadi/converters/profile/profile.h"
#include "nadi/sim_bridge/replay/replay_job.h"

namespace nadi {

/// By begin of the first member; those too of which it is not known what they are. Of chosen steps
/// those of which a member is.
std::vector<CollectiveTimes> find_collectives(const ReplayJob& job,
                                              std::optional<StepRange> steps = {});

/// By rank; empty where no collective has several members.
std::vector<RankWaiting> sum_waiting(const std::vector<CollectiveTimes>& collectives);

}  // namespace nadi
