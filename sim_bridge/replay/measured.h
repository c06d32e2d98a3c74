// Gives what was measured in the form of a replay.
#pragma once

#include "nadi/sim_bridge/replay/replay.h"

namespace nadi {

/// Returns the measured times, for comparison; waited_for is what ended last.
ReplayTimes measured_times(const ReplayJob& job);

}  // namespace nadi
