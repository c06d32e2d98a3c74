// Spoils what a profiler recorded of an execution, as real profilers do. What truly happened stays
// in the execution it is given.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "execute.h"

namespace nadi::vm {

/// How a device's clock stands to the hosts': its stamp of time t is t + offset_ns + drift * t.
struct DeviceClock {
  Ns offset_ns = 0;
  double drift = 0;  ///< ns per ns
};

/// Which recorded rows are missing.
struct Loss {
  double share = 0;       ///< of all device rows, by chance
  std::string call = "";  ///< only rows launched by calls of this name; empty = by any
};

struct Spoil {
  DeviceClock clock;                  ///< of every device but those in `clocks`
  std::map<int, DeviceClock> clocks;  ///< by rank: each has one device
  Ns reading_error_ns = 0;            ///< device stamps are off by up to this, by chance
  int damaged_rows = 0;               ///< of each rank, at most one in eight: stamps of no meaning
  Loss loss;
  double late_start = 0;  ///< share of the run before the device trace begins
  double early_end = 0;   ///< share of the run after it has ended
  std::uint64_t seed = 1;
};

/// The execution as the profiler would have recorded it: for write_device_trace, not for truth.
/// Calls, ops and synchronisation keep their times, which are the host's (K31).
Execution spoil(const Program& program, Execution run, const Spoil& how);

}  // namespace nadi::vm
