// A replay as a timeline that ui.perfetto.dev opens: each lane as measured, below it as replayed,
// and below that as scaled.
#pragma once

#include <optional>
#include <span>

#include "nadi/emit/atomic_file.h"
#include "nadi/sim_bridge/replay/replay.h"

namespace nadi::cli {

/// One run of all nodes.
struct TimelineRun {
  const char* name = "";  ///< "measured", "replayed", "scaled"
  const ReplayTimes& times;
};

/// Trace Event JSON (converters/trace_events.h): a process per rank, a thread per lane and run, µs
/// from the first start. Nodes that overlap on a lane go on further threads of
/// that lane; delays are the gaps. Arrows lead to flows_of from all it depends on, through delays.
/// Streams: holds 4 bytes a node and run, beside the times. Same input, same bytes.
void write_timeline(const ReplayJob& job, std::span<const TimelineRun> runs,
                    std::optional<std::uint32_t> flows_of, const ByteSink& sink);

}  // namespace nadi::cli
