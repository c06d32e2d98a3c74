// Gives graphs the times that a replay with scales has, for what-ifs that others run.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/sim_bridge/replay/replay.h"

namespace nadi {

/// What scales made of a job.
struct ScaledRun {
  std::vector<std::string> scales;    ///< as given; empty = nothing was scaled
  std::vector<std::size_t> nodes;     ///< how many each of them applies to
  Ns replayed_ns = 0, scaled_ns = 0;  ///< the makespan of a replay without them, and with them
};

/// Replays the graphs, which are those of one job, and gives their nodes the starts and durations
/// of the replay with the scales and factors of `options`, as if the job had been recorded so: what
/// waits in communication waits as long as it would. A delay keeps its duration as in the replay,
/// ops lose their `inclusive_ns`, and the metadata names the scales. Of the graphs' own clocks the
/// zero stays. `diagnostics`: what the replay found. Throws Error (kUsage) where a scale applies to
/// no node, and what make_replay_job and replay throw.
ScaledRun scale_graphs(std::span<Graph> graphs, const ReplayOptions& options,
                       Diagnostics& diagnostics);

}  // namespace nadi
