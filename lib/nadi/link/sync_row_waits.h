// Waits that sync rows record.
#pragma once

#include "nadi/base/diagnostics.h"
#include "nadi/link/event_ids.h"
#include "nadi/link/lanes.h"
#include "nadi/link/waits.h"
#include "nadi/model/call_names.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

/// Adds the waits that `cuda_sync` rows record (K16-K19). The event record that a wait is for is
/// found by its correlation (records), else by the `cuda_event` rows. Where a stream's
/// wait names the other stream only, it is inferred to be for all work that this stream had been
/// given by the last event record before the wait. Returns linked.lanes; lanes of streams that ran
/// no rows are added behind the others.
ByRow<Lane> add_sync_row_waits(WaitList& waits, const LinkedTrace& linked, LaneTable& lanes,
                               const CallEffects& effects, const StreamCalls& calls,
                               const RecordsOfWaits& records, Diagnostics& diagnostics);

}  // namespace nadi
