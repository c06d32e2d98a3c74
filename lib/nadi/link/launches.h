// Finds which call launched a device row, and which op was running then.
#pragma once

#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/link/lanes.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

/// Makes linked.rows (all of it but parents and steps), rows_by_lane and rows_in_api_order, and
/// marks the calls that launch. The launch of a row is found by its correlation (K11), else by its
/// launch flow (K14), else by its External id; but some profilers only copy the correlation into
/// that field (K12, C11), and then it is no evidence. A row that has none of these is unlaunched.
/// Returns, by row, the op that its External id names, where that is the evidence.
ByRow<DeviceRows, ProfilerOpIndex> link_device_rows(LinkedTrace& linked, LaneTable& lanes,
                                                    Diagnostics& diagnostics);

/// Fills parent of linked.calls and linked.rows: the innermost op open on the launching thread, or
/// the op named.
void find_launching_ops(LinkedTrace& linked, const ByRow<DeviceRows, ProfilerOpIndex>& named);

}  // namespace nadi
