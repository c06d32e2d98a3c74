// Which call launched which device row, and which op was running then.
#pragma once

#include "nadi/base/diagnostics.h"
#include "nadi/link/lanes.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

/// Fills linked.rows (launch, evidence, lane) and the launching bit of linked.calls.role: by
/// correlation, else flow, else External id; what is left is unlaunched (K11, K12, C11).
void link_device_rows(LinkedTrace& linked, LaneTable& lanes, Diagnostics& diagnostics);

/// Fills parent of linked.calls and linked.rows: the innermost op open on the launching thread.
void find_launching_ops(LinkedTrace& linked);

}  // namespace nadi
