// Matches host ops with profiler ops by the order of their names: for host traces of one iteration
// and device traces of many, and for traces without record-function ids.
#pragma once

#include <string>

#include "nadi/link/match_iterations.h"

namespace nadi {

/// Locates the host trace's iteration in the profiler's threads. With an annotation both traces are
/// cut into segments that end with an op of their name (the host trace to its first whole segment),
/// and thread iterations are looked for segment by segment.
SequenceMatch locate_by_order(const HostTrace& host, const DeviceTrace& device,
                              const std::string& annotation,
                              DifferingToo differing = DifferingToo::kNo);

}  // namespace nadi
