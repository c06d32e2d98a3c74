// Waits of copies whose device row is lost.
#pragma once

#include "nadi/base/diagnostics.h"
#include "nadi/link/stream_timeline.h"
#include "nadi/link/waits.h"
#include "nadi/model/call_names.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

/// Adds guesses for copies whose device row is lost (K24). The known copies that the same thread
/// made by calls of the same name must all have waited for one stream. A call of over 20 us waited
/// for that stream, too, if the last work of the stream ended inside the call, and no longer before
/// its return than the longest of the known copies took.
void add_waits_of_lost_copies(WaitList& waits, const LinkedTrace& linked,
                              const StreamTimeline& timeline, const CallEffects& effects,
                              Diagnostics& diagnostics);

}  // namespace nadi
