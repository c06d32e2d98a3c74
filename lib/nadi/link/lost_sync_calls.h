// Restores calls that wait for the device and of which only what they left is there (K24).
#pragma once

#include "nadi/base/diagnostics.h"
#include "nadi/base/hypothesis.h"
#include "nadi/base/string_table.h"
#include "nadi/model/device_trace.h"

namespace nadi {

/// Adds a call for each Stream Sync, Context Sync and long Event Sync row whose runtime row is
/// lost: as long as the row, whose stamps are the host's and lie inside the call (K31), and named
/// like it. It is of the thread of the op around it that its `External id` names, else of the only
/// thread that calls at all, else of the only one whose waits leave such rows, if it is free; a row
/// with none of them stays without a call. A short Event Sync row may be that of a query, which
/// orders nothing (K25).
///
/// Adds a call for each copy to pageable memory whose runtime row is lost, too: such a call returns
/// when its row is done (K20), and until then its thread does nothing else. The op that the row
/// names must be around it, and nothing else may have begun or ended on its thread since the row
/// began. The calls of three such copies must be known: of this name, in ops of this name, and made
/// right after something of the same name began or ended there. The call has their name, and begins
/// as soon after that as the soonest of theirs.
void restore_lost_sync_calls(DeviceTrace& device, StringTable& strings,
                             const Hypotheses& hypotheses, Diagnostics& diagnostics);

}  // namespace nadi
