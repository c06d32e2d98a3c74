// Finds device rows whose stamps contradict the order in which their stream was given its work
// (K32).
#pragma once

#include <cstdint>
#include <vector>

#include "nadi/model/linked_trace.h"

namespace nadi {

/// Returns, by position on the lane (its rows in start order), true for the fewest rows without
/// which the lane ran in API order. Only what is certain counts against a row: its launch call had
/// returned before the call of a row that starts earlier began, or it began after the call of a row
/// that starts later had returned. Empty where there are no such rows, and where they are more than
/// one in ten, for then the lane is no queue. O(n log n).
std::vector<bool> positions_against_api_order(const LinkedTrace& linked,
                                              const std::vector<DeviceRowIndex>& lane);

}  // namespace nadi
