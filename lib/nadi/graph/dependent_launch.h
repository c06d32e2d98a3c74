// Programmatic dependent launch inside graphs, which begins a kernel shortly before the one that it
// waits for ends.
#pragma once

#include <cstdint>
#include <vector>

#include "nadi/model/linked_trace.h"

namespace nadi {

/// Returns, by device row, true where the next row of its lane and graph launch waits for it
/// although it begins earlier than it ends. `lanes`: the rows of each lane in start order. All
/// launches of one graph are looked at together: three of four neighbours on a lane, and those at
/// 16 different places of a launch at least, must begin up to 5 us early, in the second half of the
/// row before them and after the row before that. Two rows that ever overlap in another way run
/// side by side in all launches.
ByRow<DeviceRows, bool> rows_with_early_successor(
    const LinkedTrace& linked, const ByRow<Lane, std::vector<DeviceRowIndex>>& lanes);

}  // namespace nadi
