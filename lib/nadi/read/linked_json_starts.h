// Estimates when the device rows of a linked JSON began, where the file records only when they were
// launched.
#pragma once

#include "nadi/base/diagnostics.h"
#include "nadi/model/linked_json.h"

namespace nadi {

/// MLCommons' linker gives a device row the time of its launch as `ts`. A row starts once it is
/// launched, the row before it on its stream has ended, and so have the rows its op waited for
/// (`sync_dep`) if the op itself returned before them. Rows without time or stream stay where they
/// are. Counted as "row-start-estimated". Time n log n, memory linear.
void estimate_row_starts(LinkedJson& json, Diagnostics& diagnostics);

}  // namespace nadi
