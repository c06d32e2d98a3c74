// Spoils what a profiler recorded of an execution, as real profilers do. What truly happened stays
// in the execution it is given.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "execute.h"

namespace nadi::vm {

/// How a clock stands to true time: its stamp of time t is t + offset_ns + drift * t.
struct Clock {
  Ns offset_ns = 0;
  double drift = 0;  ///< ns per ns
};

/// Which records of calls are missing: runtime rows with their flow start, device rows, and
/// `cuda_sync` and `cuda_event` rows, each by itself.
struct Loss {
  double share = 0;       ///< of all of them, by chance
  std::string call = "";  ///< only records of calls of this name; empty = of any
};

struct Spoil {
  Clock device_clock;                  ///< against the host's, of every device not named below
  std::map<int, Clock> device_clocks;  ///< by rank: each has one device
  std::map<int, Clock> host_clocks;    ///< by rank; devices move with their host's
  Ns reading_error_ns = 0;             ///< device stamps are off by up to this, by chance
  int damaged_rows = 0;                ///< of each rank, at most one in eight: stamps of no meaning
  Loss loss;
  double late_start = 0;        ///< share of the time of all ops before the profiler begins
  double early_end = 0;         ///< share of the time of all ops after it has ended
  double late_device_rows = 0;  ///< share of the run of which it lost all device rows (K24)
  std::uint64_t seed = 1;
};

/// The execution in the time of each rank's host, with what is not in the records marked so: what
/// make_truth is asked of. A profiler that begins late or ends early records what lies inside.
Execution lose_records(const Program& program, Execution run, const Spoil& how);

/// The execution as the profiler would have recorded it: for write_device_trace, not for truth. The
/// stamps of calls, ops and synchronisation are the host's (K31).
Execution spoil(const Program& program, Execution run, const Spoil& how);

}  // namespace nadi::vm
