// Device rows that were lost (K24), as far as their launch calls show.
#pragma once

#include <array>
#include <cstdint>

#include "nadi/model/linked_trace.h"

namespace nadi {

/// Launches whose device row is lost.
struct LostRowCounts {
  std::uint64_t all = 0;
  std::array<std::uint64_t, 6> of{};  ///< by CallLaunches
  std::array<bool, 6>
      are_all_lost{};  ///< by CallLaunches: launches are there, and no row of theirs
};
LostRowCounts count_lost_rows(const LinkedTrace& linked);

/// Returns, by device row, true where a call whose row is lost was made between the launch of the
/// row before it on its lane and its own: the row may have queued behind that work, so its latency
/// is not known. Empty where no such call is in the trace.
ByRow<DeviceRows, bool> rows_behind_lost_rows(const LinkedTrace& linked);

}  // namespace nadi
