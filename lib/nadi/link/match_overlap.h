// Finds, by the order of names, the part of a run that host and device trace both recorded.
#pragma once

#include "nadi/link/match_iterations.h"

namespace nadi {

/// The way in which it is found where the leading thread's ops lie.
enum class OverlapBy {
  kNumbers,         ///< equal autograd sequence numbers
  kNumbersOrNames,  ///< or the shorter sequence of names, looked for in the longer one
};

/// Locates what both traces recorded where neither need hold all of the other (H10). One thread
/// leads; the other threads' ops lie between those of the leading one: in the host trace by id, in
/// the device trace by time, so that all threads show the same part of the run. The candidate with
/// the most ops of all tried is given as the only iteration, or, where the common part is large
/// enough, that with equal sequence numbers; numbers that contradict each other rule one out. At
/// most four leading threads with 17 candidates each are tried, within one budget.
SequenceMatch locate_overlap(NameSequences names, const HostTrace& host, const DeviceTrace& device,
                             OverlapBy by);

}  // namespace nadi
