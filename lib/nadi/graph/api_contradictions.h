// Device rows whose stamps contradict the order in which their stream was given its work (K32).
#pragma once

#include <cstdint>
#include <vector>

#include "nadi/model/linked_trace.h"

namespace nadi {

/// Returns, by place on a lane, whose rows come in start order, true for the fewest rows without
/// which the lane ran in API order, as far as that is certain: the row was launched by a call that
/// had returned before one began whose row starts earlier, or began after one had returned whose
/// row starts later. Empty where there are none, and where they are more than one in ten: the lane
/// is no queue then. O(n log n).
std::vector<bool> places_against_api_order(const LinkedTrace& linked,
                                           const std::vector<DeviceRowIndex>& lane);

}  // namespace nadi
