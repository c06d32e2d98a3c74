// Host and device trace of different windows of one run (H10), cut to what both recorded.
#pragma once

#include "nadi/base/diagnostics.h"
#include "nadi/link/match.h"

namespace nadi {

/// True where kLeastShare of the ops of both traces are matched: what else they hold is then no
/// sign of different windows.
bool is_same_window(const OpMatch& match, const DeviceTrace& device);

/// At least 100 ops, and half of those of the shorter trace.
bool is_common_window(std::uint64_t common, std::uint64_t host_ops, std::uint64_t profiler_ops);

/// Leaves of each thread's ops, in both traces, those from the first to the last matched one (of a
/// thread without any those in the window of all), and of calls and device rows those that belong
/// to them (match_cut.h). What is left out is counted: `host-ops-outside-the-device-trace`,
/// `device-ops-outside-the-host-trace`.
/// Needs a common part that is_common_window(), and of kLeastShare of the host ops between the
/// first and the last matched one; only ops count that are matched in order. Else nothing is
/// changed, and false is returned. Time n log n, memory linear.
bool cut_to_common_window(HostTrace& host, DeviceTrace& device, OpMatch& match,
                          Diagnostics& diagnostics);

}  // namespace nadi
