// Joins a host trace and a device trace of one rank: the link stage, as one recipe.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/base/evidence.h"
#include "nadi/base/hypothesis.h"
#include "nadi/link/clock.h"
#include "nadi/link/match_choice.h"
#include "nadi/model/linked_trace.h"

namespace nadi {

struct LinkOptions {
  MatchOptions match;
  ClockMode clock = ClockMode::kAuto;
  std::int64_t rank = -1;  ///< -1: distributedInfo's, else 0
  Hypotheses hypotheses;   ///< all, but where it is measured what one is worth
};

/// Links both traces (either by value: they are taken over). Without a host trace the profiler's
/// own ops are the host ops. Throws Error(kInput) where the traces do not belong together.
LinkedTrace link_traces(std::optional<HostTrace> host, DeviceTrace device,
                        const LinkOptions& options, Diagnostics& diagnostics);

/// A call that blocked until a device row had ended.
struct RecordedBlock {
  CallIndex call;
  DeviceRowIndex row;  ///< none = nobody knows for what it blocked
  Inference inferred = Inference::kNone;
};

/// How two traces are joined, as far as it is known: which op is which, and what a file that holds
/// both traces records beside that.
struct TraceJoins {
  OpMatch match;
  ByRow<DeviceRows, HostOpIndex> callers;  ///< the op that launched each row; none = not recorded.
                                           ///< Empty where no row has one
  std::vector<RecordedBlock> blocks;
  std::vector<CallIndex> settled;  ///< calls whose waits the file lists: nothing is inferred
};

/// Links traces that are matched (the host trace too, if there is one). options.match and
/// options.clock have no effect.
LinkedTrace join_traces(std::optional<HostTrace> host, DeviceTrace device, const TraceJoins& joins,
                        const LinkOptions& options, Diagnostics& diagnostics);

}  // namespace nadi
