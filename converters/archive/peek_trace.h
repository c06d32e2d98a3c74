// The first look at a file: its kind, and what it says about rank and process.
#pragma once

#include <cstdint>
#include <string>

#include "nadi/input/byte_source.h"
#include "nadi/read/detect.h"

namespace nadi {

struct TracePeek {
  TraceType type = TraceType::kOther;
  std::string what;          ///< describe()
  std::int64_t rank = -1;    ///< device traces: distributedInfo's; graphs: the metadata's; -1 = not
                             ///< recorded
  std::int64_t pid = -1;     ///< of the traced process; -1 = not recorded
  double rows_per_byte = 0;  ///< of the text looked at; 0 = not known

  bool is_trace() const { return type == TraceType::kHostTrace || type == TraceType::kDeviceTrace; }
};

/// Reads up to kPeekBytes of the unpacked file. A file that cannot be unpacked is of no kind.
TracePeek peek_trace(const std::string& path);
/// The same of bytes that lie nowhere; graphs tell no rank.
TracePeek peek_trace(ByteSource& source);

inline constexpr std::size_t kPeekBytes = 4 << 20;

/// Returns `asked` where it is not -1; else what the device trace says, else 0. Standard input is
/// not looked at.
std::int64_t rank_of_traces(const std::string& device, std::int64_t asked);

}  // namespace nadi
