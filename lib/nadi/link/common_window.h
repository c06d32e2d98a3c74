// Cuts host and device trace of different windows of one run (H10) to what both recorded.
#pragma once

#include <optional>

#include "nadi/link/fit_traces.h"
#include "nadi/link/match.h"

namespace nadi {

/// True where kLeastShare of the ops of both traces are matched: what else they hold is then no
/// sign of different windows.
bool is_same_window(const OpMatch& match, const DeviceTrace& device);

/// True where the common ops are at least 100, and half of the ops of the shorter trace.
bool is_common_window(std::uint64_t common, std::uint64_t host_ops, std::uint64_t profiler_ops);

/// The part to link where traces are of different windows, and the number of its host ops: of each
/// thread the ops from its first to its last matched one; of a thread without matched ops those
/// between the first and the last matched one of all threads. There is such a part if the ops that
/// are matched in order are enough for is_common_window(), and are kLeastShare of its host ops.
/// Time n log n, memory linear.
struct CommonWindow {
  LinkedPart part;
  std::uint64_t host_ops = 0;
};
std::optional<CommonWindow> find_common_window(const HostTrace& host, const DeviceTrace& device,
                                               const OpMatch& match);

}  // namespace nadi
