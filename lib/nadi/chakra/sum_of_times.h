// Bounds how long nodes take one after the other, so that times from strangers' files overflow
// nowhere.
#pragma once

#include <algorithm>
#include <vector>

#include "nadi/base/time.h"

namespace nadi {

/// ns; a node that takes less than `least` counts as much. Never overflows.
inline double sum_of_times(const std::vector<Ns>& durations_ns, Ns least = 0) {
  double sum = 0;
  for (const Ns duration : durations_ns) sum += static_cast<double>(std::max(duration, least));
  return sum;
}

}  // namespace nadi
