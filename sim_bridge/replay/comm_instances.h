// Finds the communications of different ranks that are the same.
#pragma once

#include "nadi/base/diagnostics.h"
#include "nadi/sim_bridge/replay/replay_job.h"

namespace nadi {

/// Fills the job's kernels and comm_instances. Collectives meet by group name and order within the
/// group, sends and receives by (group, source, destination) and order (align_sequence). Where some
/// members' records lack one, the others meet.
void find_comm_instances(ReplayJob& job, Diagnostics& diagnostics);

}  // namespace nadi
