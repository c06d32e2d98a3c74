// A replay as a timeline that ui.perfetto.dev opens: each rank as measured, as replayed and as
// scaled, and what the end had to wait for.
#pragma once

#include <optional>
#include <span>

#include "nadi/converters/timeline/timeline_writer.h"
#include "nadi/sim_bridge/replay/replay.h"

namespace nadi::cli {

/// One run of all nodes.
struct TimelineRun {
  const char* name = "";  ///< "measured", "replayed", "scaled"
  const ReplayTimes& times;
};

/// A process with the critical path of each run, then one for each rank and run, with a track for
/// each lane; times from the first start. The graphs have parents: an op is a slice from its first
/// stretch to the last of what it called on its thread, around that, and parts are within it.
/// Delays are the gaps. Arrows lead from where the host launched to the device row, and to flows_of
/// from all it depends on, through delays. Nodes that overlap on a lane and did not call each other
/// go on further tracks of that lane. Streams: holds 36 bytes a node of one rank beside the times.
/// Same input, same bytes.
void write_timeline(const ReplayJob& job, std::span<const TimelineRun> runs,
                    std::optional<std::uint32_t> flows_of, TimelineWriter& writer);

}  // namespace nadi::cli
