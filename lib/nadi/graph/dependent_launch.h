// Finds programmatic dependent launches inside CUDA graphs: they begin a kernel shortly before the
// kernel that it waits for ends.
#pragma once

#include "nadi/model/linked_trace.h"

namespace nadi {

/// Returns, by device row, true where the next row of its lane in the same graph launch waits for
/// it, although that one begins before this one ends. Rows of a lane are judged over all launches
/// of their CUDA graph. A row begins early if it does so at most 5 us before the end of the row
/// before it, in the second half of that row, and after the end of the row before that. Three of
/// four rows must begin early, at 16 different positions in a launch or more. Two neighbours that
/// overlap in another way in one launch are taken to run side by side in all launches.
ByRow<DeviceRows, bool> rows_with_early_successor(const LinkedTrace& linked);

}  // namespace nadi
