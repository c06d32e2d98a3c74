// Makes both traces fit the iterations that are linked: cuts both to them, and repeats the host
// trace for each.
#pragma once

#include <optional>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/link/match_iterations.h"

namespace nadi {

/// The part of both traces that is linked; the rest is left out, and counted by these kinds.
struct LinkedPart {
  ByRow<HostSequence> host;          ///< the ops that stay
  ByRow<ProfilerSequence> profiler;  ///< all threads; around their matched ops is cut
  Finding host_left_out, device_left_out;
};

/// The match of the whole traces, and the part of them to link.
struct MatchPlan {
  OpMatch ops;
  std::optional<LinkedPart> part;  ///< nullopt = all of both traces
  /// Every iteration is linked, with the ops of `part` repeated; `ops` is empty then. The names it
  /// goes by are those of the part.
  std::optional<SequenceMatch> repeats;
};

/// Cuts and repeats as planned. Returns the match of the rows that are there afterwards. A repeated
/// op has an id of its own, the profiler's autograd sequence number, which differs between
/// iterations, and no record-function id. Throws Error(kInput) where ids are too large to be
/// counted on. Every iteration has ops of its own in the device trace, so there are never more
/// copies than a few times the ops of that.
OpMatch fit_traces(MatchPlan plan, HostTrace& host, DeviceTrace& device, Diagnostics& diagnostics);

}  // namespace nadi
