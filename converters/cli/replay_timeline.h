// A replay as a timeline that ui.perfetto.dev opens: each lane as measured, and below it as
// replayed.
#pragma once

#include <optional>

#include "nadi/emit/atomic_file.h"
#include "nadi/sim_bridge/replay/replay.h"

namespace nadi::cli {

/// Trace Event JSON (converters/trace_events.h): a process per rank,
/// threads in pairs, µs from the first start. Nodes that overlap on a lane go on further threads of
/// that lane; delays are the gaps. Arrows lead to flows_of from all it depends on, through delays.
/// Streams: holds 20 bytes a node. Same input, same bytes.
void write_timeline(const ReplayJob& job, const ReplayTimes& measured, const ReplayTimes& replayed,
                    std::optional<std::uint32_t> flows_of, const ByteSink& sink);

}  // namespace nadi::cli
