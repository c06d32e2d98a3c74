// Removes all rows of a device trace that are not marked.
#pragma once

#include "nadi/model/device_trace.h"

namespace nadi {

/// Which rows of each table stay.
struct RowsToKeep {
  ByRow<ProfilerOps, bool> ops;
  ByRow<RuntimeCalls, bool> calls;
  ByRow<DeviceRows, bool> rows;
  ByRow<SyncRows, bool> syncs;
  ByRow<EventRecords, bool> records;
  ByRow<Flows, bool> flows;
};

/// Removes the rows that are not marked, and dependencies on such rows; measures the span anew.
void keep_rows(const RowsToKeep& kept, DeviceTrace& device);

}  // namespace nadi
