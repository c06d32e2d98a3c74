// Joins a host trace and a device trace of one rank: the link stage, as one recipe.
#pragma once

#include <cstdint>
#include <optional>

#include "nadi/base/diagnostics.h"
#include "nadi/link/clock.h"
#include "nadi/link/match_choice.h"
#include "nadi/model/linked_json.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

struct LinkOptions {
  MatchOptions match;
  ClockMode clock = ClockMode::kAuto;
  std::int64_t rank = -1;  ///< -1: distributedInfo's, else 0
};

/// Links both traces (either by value: they are taken over). Without a host trace the profiler's
/// own ops are the host ops. Throws Error(kInput) where the traces do not belong together.
LinkedTrace link_traces(std::optional<HostTrace> host, DeviceTrace device,
                        const LinkOptions& options, Diagnostics& diagnostics);

/// Links what a linked JSON holds (by value: it is taken over): ops have their times already, rows
/// their launches; what its nodes record of each other becomes LinkedTrace::recorded_dependencies.
/// options.match and options.clock have no effect.
LinkedTrace link_traces(LinkedJson json, const LinkOptions& options, Diagnostics& diagnostics);

}  // namespace nadi
