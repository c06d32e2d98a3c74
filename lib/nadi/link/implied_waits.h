// Waits that calls imply by themselves.
#pragma once

#include "nadi/base/diagnostics.h"
#include "nadi/link/stream_timeline.h"
#include "nadi/link/waits.h"
#include "nadi/model/call_names.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

/// Adds the waits that calls imply by themselves: of device-wide synchronisations, of copies that
/// block or wait for their stream, of launches that wait for what they launched or find the queue
/// full, and of allocations during
/// which the last of all pending rows ended.
void add_implied_waits(WaitList& waits, const LinkedTrace& linked, const StreamTimeline& timeline,
                       const CallEffects& effects, Diagnostics& diagnostics);

}  // namespace nadi
