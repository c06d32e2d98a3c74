// A device trace cut to what the host trace is linked to.
#pragma once

#include <cstdint>
#include <vector>

#include "nadi/link/match.h"
#include "nadi/link/match_names.h"

namespace nadi {

/// Leaves in the device trace what belongs to the span of the matched ops, and makes these point to
/// the rows that stay. Per thread (`threads`: all of the device trace) the span goes from the first
/// matched op, or from the trace's begin if no op lies before the first matched one of any thread,
/// to the next op that begins after the matched ones have ended; threads that matched nothing have
/// the span of all. An op or annotation belongs to it with at least half of its time, a call with
/// its begin, a device row with its launch (with its own begin if it has none). Nothing is cut
/// where no op of a matched thread lies outside. Returns how many ops were left out.
std::uint64_t cut_to_matched(const ByRow<ProfilerSequence>& threads, DeviceTrace& device,
                             OpMatch& match);

}  // namespace nadi
