// Brings the clocks of the ranks together, and finds who waited inside communication for whom.
#pragma once

#include "nadi/base/diagnostics.h"
#include "nadi/sim_bridge/replay/replay_job.h"

namespace nadi {

/// Fills the job's clocks; needs comm_instances.
void align_clocks(ReplayJob& job, Diagnostics& diagnostics);

/// Fills what each kernel waits for; needs clocks. A kernel that was still running when the last of
/// an instance started waited for it; one that had ended did not (a broadcast's root, a small
/// send). Where nothing was measured all wait, and each takes its duration.
void find_waits(ReplayJob& job);

}  // namespace nadi
