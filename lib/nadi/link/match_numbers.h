// Autograd's sequence numbers of the ops of one iteration: where they show that ops of different
// iterations were paired.
#pragma once

#include <string>

#include "nadi/link/match_iterations.h"

namespace nadi {

/// Numbers count up along the program, so those of one iteration are apart by one constant in both
/// traces (0 where they recorded the same run). Says by what they are apart where more than 1 % of
/// the ops that have a number in both traces differ from most of them, or where threads differ from
/// each other; else empty. Time n log n in the ops of the iteration.
std::string describe_number_conflict(const SequenceMatch& match, const Iteration& iteration,
                                     const HostTrace& host, const DeviceTrace& device);

}  // namespace nadi
