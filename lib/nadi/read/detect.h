// Detects the kind of a file from its first bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace nadi {

enum class TraceType : std::uint8_t {
  kHostTrace,    ///< ExecutionTraceObserver JSON
  kDeviceTrace,  ///< Kineto / torch.profiler JSON, a bare list of Chrome trace events, .pftrace
  kLinkedJson,   ///< MLCommons' linked trace ("ET+"): a host trace with times
  kChakra,       ///< a Chakra graph (.et, delimited protobuf)
  kOther,
};

/// describe() of a JSON array whose beginning is none of a bare list of events.
inline constexpr std::string_view kPlainArray = "a JSON array, but no trace";
/// describe() of a device trace that is no JSON.
inline constexpr std::string_view kPerfettoTrace = "a Perfetto trace";

/// `prefix`: the first (decompressed) bytes, 64 KiB are plenty.
TraceType detect(std::string_view prefix);
/// For people: "a host trace", "an empty file", "a web page (HTML)", "a PyTorch memory snapshot".
/// Binary data may be known by the name of its `file` alone.
std::string describe(std::string_view prefix, std::string_view file = {});

}  // namespace nadi
