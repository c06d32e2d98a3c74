// Restores calls that wait for the device and of which only the `cuda_sync` row is left (K24).
#pragma once

#include "nadi/base/diagnostics.h"
#include "nadi/base/string_table.h"
#include "nadi/model/device_trace.h"

namespace nadi {

/// Adds a call for each Stream Sync and Context Sync row whose runtime row is lost: as long as the
/// row, whose stamps are the host's and lie inside the call (K31), and named like it. It is of the
/// thread of the op around it that its `External id` names, else of the only thread that calls at
/// all; a row with neither stays without a call. An Event Sync row may be that of a query, which
/// orders nothing (K25).
void restore_lost_sync_calls(DeviceTrace& device, StringTable& strings, Diagnostics& diagnostics);

}  // namespace nadi
