// The host ops of both traces in one table: matched, known to the profiler only, untimed.
#pragma once

#include "nadi/base/diagnostics.h"
#include "nadi/link/lanes.h"
#include "nadi/link/match.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

/// Fills linked.ops: lanes, times, nesting (the host trace's where it has it, else by time).
/// Untimed ops get the start that is recorded, else of the next timed op by host-trace id, and no
/// length.
void make_linked_ops(LinkedTrace& linked, const OpMatch& match, const LaneTable& lanes,
                     Diagnostics& diagnostics);

}  // namespace nadi
