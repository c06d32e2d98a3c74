// Finds the device traces of each rank in the paths given.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/read/detect.h"

namespace nadi {

struct EventTrace {
  std::int64_t rank = 0;
  std::string path;
  /// The ranks that standard input may be of ("0,2-3"): its own is known only when it is read.
  std::string only_ranks = {};
};

/// Files as they are, and the files of that type (device traces, or Chakra graphs) of folders;
/// other files there are reported, "file-ignored", and settle_traces passes over what is of no rank
/// or an older window. A trace's rank is what it says itself, else that of its name (graphs:
/// NAME.<rank>.et), else, of a single one, 0. In order of rank. Throws Error(kInput) where
/// nothing is found, two are of one rank, or a rank is not known.
std::vector<EventTrace> find_event_traces(const std::vector<std::string>& paths,
                                          Diagnostics& diagnostics,
                                          TraceType type = TraceType::kDeviceTrace);

/// Keeps the ranks of "0,2-3"; "all" keeps all. Throws Error(kUsage) that lists the ranks where a
/// part of the text names none of them.
std::vector<EventTrace> choose_ranks(std::vector<EventTrace> traces, std::string_view text);

/// Returns the trace, with the rank that its table records (-1 = none) where it is standard input.
/// Throws Error(kUsage) where it may not be of that rank.
EventTrace with_rank_read(EventTrace trace, std::int64_t recorded);

}  // namespace nadi
