// Finds of which process each row of a device is, where one trace holds the rows of several: ids
// of one process say nothing of another's.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "nadi/base/time.h"

namespace nadi {

/// Number of a process in the trace, by the first of its host rows in the file.
using ProcessNumber = std::uint32_t;
inline constexpr ProcessNumber kNoProcess = 0xffffffffU;

/// A runtime call, whose process is known by its pid.
struct ProcessCall {
  std::int64_t correlation = -1;  ///< -1 = none
  Ns begin_ns = 0;
  ProcessNumber process = 0;
};

/// A row whose pid names a device, not a process.
struct ProcesslessRow {
  std::int64_t correlation = -1;  ///< of its call; -1 = none
  Ns start_ns = kNoTime;          ///< kNoTime = unknown
  std::uint32_t order = 0;        ///< position in the file
  /// Device, context, stream; any numbers that tell them apart.
  std::array<std::int64_t, 3> lane{-1, -1, -1};
};

/// Where in the file the host rows of a process are.
struct HostRowRange {
  std::uint32_t first = 0xffffffffU, last = 0;
  void add(std::uint32_t order) {
    if (order < first) first = order;
    if (order > last) last = order;
  }
  void add(HostRowRange range) {
    add(range.first);
    add(range.last);
  }
};

struct RowProcesses {
  std::vector<ProcessNumber> of_row;  ///< by row
  std::uint64_t guessed = 0;          ///< rows for which only times or the order of devices spoke
};

/// A row that stands between host rows of one process, in a file that holds those of each behind
/// the other's, is that process's; so is one behind them, if every process has such, and none stand
/// before all, or the other way round. For the others a device has an owner: the process that made,
/// of nearly all of its rows, the call with their correlation, before they began. Where several
/// processes did, it is guessed: the one that made most of them, else the first that owns no
/// device. Of a device without an owner its contexts have one, of these their streams, of these
/// each row by itself: the process that has its correlation; of several, guessed, the one whose
/// call came last before it. `ranges`: by process, two at least.
RowProcesses find_row_processes(std::vector<ProcessCall> calls,
                                const std::vector<ProcesslessRow>& rows,
                                const std::vector<HostRowRange>& ranges);

}  // namespace nadi
