// When the ranks of a job communicated with each other: on one clock, with who came last.
#pragma once

#include "nadi/base/byte_sink.h"
#include "nadi/sim_bridge/job/recorded_graphs.h"

namespace nadi {

/// Writes one JSON object, without a newline at its end: "clocks" {"source", "ranks" [{"rank",
/// "shift_ns", "drift_ppm"}]}, what brings the times of each rank's graph to the job's; "groups"
/// [{"name", "desc", "ranks"}]; "collectives" [{"group" (a position in groups), "type", "bytes",
/// "start_ns", "end_ns"}], the times of the group's ranks in their order; "messages" [{"from",
/// "to", "bytes", "start_ns", "end_ns"}], the times of both ends; "stragglers" [{"rank",
/// "collectives" to which it alone came last, "waited_ns" that all others waited for it,
/// together}], the longest first; and "findings" [{"kind", "count", "first"}]. Ranks nobody
/// recorded are left out. Where ranks do not communicate alike the object is {"error"}; without
/// graphs it is null. Looks at each graph once, and holds what they communicate.
void write_job_times(RecordedGraphs graphs, const ByteSink& sink);

}  // namespace nadi
