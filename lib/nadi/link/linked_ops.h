// The host ops of both traces in one table: matched, known to the profiler only, untimed.
#pragma once

#include "nadi/base/diagnostics.h"
#include "nadi/link/lanes.h"
#include "nadi/link/match.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

/// Makes the ops with lanes, times and nesting (the host trace's where it has it, else by time).
/// Untimed ops get the start that is recorded, else of the next timed op by host-trace id, and no
/// length. Needs the traces and the host lanes of `linked`.
LinkedOps make_linked_ops(const LinkedTrace& linked, const OpMatch& match, const LaneTable& lanes,
                          Diagnostics& diagnostics);

/// Returns, by row of the host trace's ops, the linked op; none = it has none, as roots.
ByRow<HostOps, LinkedOpIndex> linked_ops_of_host(const LinkedOps& ops, std::size_t host_ops);

}  // namespace nadi
