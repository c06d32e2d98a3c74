// Measures how long a job takes with fewer of the delays its graphs hold.
#pragma once

#include <string>
#include <vector>

#include "nadi/sim_bridge/replay/replay.h"

namespace nadi::html {

struct DelayModeTime {
  std::string name;  ///< "none", "host", "all": --delays of the conversion
  Ns replayed_ns = 0;
};

/// The job with the delays that a conversion with each mode would have made of these graphs, as far
/// as they hold them: without any (none), without those of the device but for the first of a
/// stream, those before rows of which no launch is known, and those in which the device itself was
/// at work (host), and as it is. Empty where the graphs hold no delay. A delay left out takes no
/// time; what depends on it still waits for what it depended on. Changes durations of `graphs`,
/// which the job is of, and puts them back.
std::vector<DelayModeTime> replay_by_delay_mode(std::vector<Graph>& graphs, const ReplayJob& job,
                                                ReplayLanes lanes, Ns replayed_ns);

}  // namespace nadi::html
