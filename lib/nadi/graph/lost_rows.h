// Device rows that were lost (K24), as far as their launch calls show.
#pragma once

#include <vector>

#include "nadi/model/linked_trace.h"

namespace nadi {

/// Counts the calls without a row, though others of their name have one.
std::size_t count_launches_without_row(const LinkedTrace& linked);

/// Returns, by device row, true where a call was made between the launch of the row before it on
/// its lane and its own that has no row, though other calls of its name have: the row may have
/// queued behind work that is lost, so its latency is not known. Empty where no such call is in the
/// trace.
ByRow<DeviceRows, bool> rows_behind_lost_rows(const LinkedTrace& linked);

}  // namespace nadi
