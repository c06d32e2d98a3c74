// A device trace cut to the iterations that the host trace is linked to.
#pragma once

#include <cstdint>
#include <vector>

#include "nadi/link/match_iterations.h"

namespace nadi {

/// Leaves in the device trace what belongs to the span of these iterations, and makes ops point to
/// the rows that stay. Per thread the span goes from the first matched op to the next op that
/// begins after the matched ones have ended; threads that matched nothing have the span of all. An
/// op or annotation belongs to it with at least half of its time, a call with its begin, a device
/// row with its launch (with its own begin if it has none). Nothing is cut where no op of a matched
/// thread lies outside. Returns how many ops were left out.
std::uint64_t cut_to_iterations(const SequenceMatch& match,
                                const std::vector<Iteration>& iterations, DeviceTrace& device,
                                OpMatch& ops);

}  // namespace nadi
