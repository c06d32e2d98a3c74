// The first look at a file: its kind, and what it says about rank and process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "nadi/base/diagnostics.h"
#include "nadi/base/error.h"
#include "nadi/input/byte_source.h"
#include "nadi/read/detect.h"

namespace nadi {

/// Whether a device trace holds rows of a device or calls of its runtime.
enum class DeviceActivity : std::uint8_t {
  kNotSeen,  ///< in what was looked at
  kNone,     ///< and that was all of the trace
  kThere,    ///< or it is of another form than torch.profiler writes
};

struct TracePeek {
  TraceType type = TraceType::kOther;
  std::string what;          ///< describe()
  std::int64_t rank = -1;    ///< device traces: distributedInfo's; graphs: the metadata's; -1 = not
                             ///< recorded
  std::int64_t pid = -1;     ///< of the traced process; -1 = not recorded
  double rows_per_byte = 0;  ///< of the text looked at; 0 = not known
  std::int64_t first_us = -1;  ///< device traces: `ts` of the first event; -1 = not seen
  DeviceActivity activity = DeviceActivity::kNotSeen;
  bool is_unread = false;  ///< it is empty, or cannot be unpacked

  bool is_trace() const { return type == TraceType::kHostTrace || type == TraceType::kDeviceTrace; }
};

/// Reads up to kPeekBytes of the unpacked file. A file that cannot be unpacked is of no kind.
TracePeek peek_trace(const std::string& path);
/// The same of bytes that lie nowhere; graphs have no rank then.
TracePeek peek_trace(ByteSource& source);

/// A whole number of a graph's metadata; nothing where there is none. Throws what ChakraReader
/// throws.
std::optional<std::int64_t> metadata_number(const std::string& graph, const char* name);

/// Of a file that cannot be unpacked.
TracePeek peek_of(const Error& error);

/// Reports a file that is passed over because it is no trace; as a loss where its name says that it
/// is one, and it is empty or damaged.
void report_ignored(const std::string& path, const TracePeek& peek, Diagnostics& diagnostics);

inline constexpr std::size_t kPeekBytes = 4 << 20;

/// Reads a device trace until it shows device rows, at most to its end.
DeviceActivity find_device_activity(ByteSource& source);

/// Returns `asked` where it is not -1; else what the device trace says, else its name, else 0.
/// Standard input is not looked at.
std::int64_t rank_of_traces(const std::string& device, std::int64_t asked);

}  // namespace nadi
