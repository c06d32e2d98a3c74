// Tells of which process each row of a device is, where one trace holds the rows of several: ids
// of one process say nothing of another's.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "nadi/base/time.h"

namespace nadi {

/// Number of a process in the trace, by the first of its host rows in the file.
using ProcessNumber = std::uint32_t;

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
  std::uint32_t order = 0;        ///< place in the file
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
};

struct RowProcesses {
  std::vector<ProcessNumber> of_row;  ///< by row
  std::uint64_t guessed = 0;          ///< rows for which only times or the order of devices spoke
};

/// A row is of the process that has a call with its correlation. Where several have one, or none,
/// in this order: of the process between whose host rows it stands in the file, if the rows of
/// processes follow each other there (files that were put one behind the other); of that of the
/// other rows of its stream, context or device; of the one whose calls came before most of the rows
/// of the device; of the process of the device's place; of the one whose call came last before it.
/// `ranges`: by process, two at least.
RowProcesses find_row_processes(std::vector<ProcessCall> calls,
                                const std::vector<ProcesslessRow>& rows,
                                const std::vector<HostRowRange>& ranges);

}  // namespace nadi
