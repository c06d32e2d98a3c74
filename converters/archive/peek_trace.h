// The first look at a file: its kind, and what it says about rank and process.
#pragma once

#include <cstdint>
#include <string>

#include "nadi/read/detect.h"

namespace nadi {

struct TracePeek {
  TraceType type = TraceType::kOther;
  std::string what;        ///< describe()
  std::int64_t rank = -1;  ///< device traces: distributedInfo's; graphs: the metadata's; -1 = not
                           ///< recorded
  std::int64_t pid = -1;   ///< of the traced process; -1 = not recorded
};

/// Reads up to 4 MiB of the unpacked file. A file that cannot be unpacked is of no kind.
TracePeek peek_trace(const std::string& path);

/// Returns `asked` where it is not -1; else what the device trace says, else 0. Standard input is
/// not looked at.
std::int64_t rank_of_traces(const std::string& device, std::int64_t asked);

}  // namespace nadi
