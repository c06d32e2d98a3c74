// Leaves of a device trace the rows that are marked.
#pragma once

#include <vector>

#include "nadi/model/device_trace.h"

namespace nadi {

/// Which rows of each table stay.
struct RowsToKeep {
  std::vector<bool> ops, calls, rows, syncs, records, flows;
};

/// Leaves the rows that are marked, and the dependencies between such; measures the span anew.
void keep_rows(const RowsToKeep& kept, DeviceTrace& device);

}  // namespace nadi
