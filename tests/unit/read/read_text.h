// Reads traces from text in tests, as if they were files.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>

#include "nadi/read/device_trace_reader.h"
#include "nadi/read/host_trace_reader.h"

namespace nadi::test {

/// A source of `text` that gives at most `chunk` bytes at a time.
inline ByteSource source_of(std::string text, std::size_t chunk = 1 << 16) {
  const std::uint64_t total = text.size();
  return ByteSource(
      "trace.json",
      [text = std::move(text), chunk, at = std::size_t{0}](std::span<char> into) mutable {
        const std::size_t got = std::min({into.size(), chunk, text.size() - at});
        std::memcpy(into.data(), text.data() + at, got);
        at += got;
        return got;
      },
      total);
}

inline DeviceTrace read_device(std::string text, Diagnostics& diagnostics,
                               std::size_t chunk = 1 << 16) {
  ByteSource source = source_of(std::move(text), chunk);
  return read_device_trace(source, diagnostics);
}

inline DeviceTrace read_device(std::string text) {
  Diagnostics diagnostics;
  return read_device(std::move(text), diagnostics);
}

/// A device trace of these events, separated by the caller.
inline DeviceTrace read_events(const std::string& events) {
  return read_device(R"({"traceEvents": [)" + events + "]}");
}
inline DeviceTrace read_events(const std::string& events, Diagnostics& diagnostics) {
  return read_device(R"({"traceEvents": [)" + events + "]}", diagnostics);
}

inline HostTrace read_host(std::string text, Diagnostics& diagnostics,
                           std::size_t chunk = 1 << 16) {
  ByteSource source = source_of(std::move(text), chunk);
  return read_host_trace(source, diagnostics);
}

/// A host trace of these nodes.
inline HostTrace read_nodes(const std::string& nodes, Diagnostics& diagnostics) {
  return read_host(
      R"({"schema": "1.0.3-chakra.0.0.4", "pid": 7, "nodes": [)" + nodes + R"(], "finish_ts": 9})",
      diagnostics);
}
inline HostTrace read_nodes(const std::string& nodes) {
  Diagnostics diagnostics;
  return read_nodes(nodes, diagnostics);
}

}  // namespace nadi::test
