// Walks a Perfetto trace (.pftrace) as if it were the JSON of the same run.
#pragma once

#include <cstdint>

#include "nadi/base/diagnostics.h"
#include "nadi/read/trace_event.h"
#include "nadi/read/window.h"

namespace nadi {

/// Hands on the event of each slice, GPU row and name of a thread, packet by packet; GPU rows also
/// hold "event_id" and "event_wait_ids", the recorded dependencies. Gives the number of events.
/// Packets that cannot be read are counted ("broken-packet", "oversized-event", "truncated-input",
/// "packet-clock-unknown"), and so is what this form of a trace lacks. Throws Error(kInput) where
/// nothing in it is of a device trace. Memory: the window, and the slices that wait for their ends.
std::uint64_t walk_perfetto_trace(Window& window, const EventSubscriber& subscriber,
                                  Diagnostics& diagnostics);

}  // namespace nadi
