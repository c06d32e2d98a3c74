// Feeds any bytes to the host-trace reader: it may refuse them, but not crash or hang.
#include <algorithm>
#include <cstring>

#include "nadi/base/error.h"
#include "nadi/read/host_trace_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // The first byte is the size of the pieces in which the bytes arrive.
  const std::size_t chunk = size == 0 ? 1 : 1 + data[0];
  std::size_t at = size == 0 ? 0 : 1;
  nadi::ByteSource source("fuzz", [&](std::span<char> into) {
    const std::size_t got = std::min({into.size(), size - at, chunk});
    if (got > 0) std::memcpy(into.data(), data + at, got);
    at += got;
    return got;
  });
  nadi::Diagnostics diagnostics;
  try {
    const nadi::HostTrace trace = nadi::read_host_trace(source, diagnostics);
    if (trace.ops.comm.size() != trace.ops.size()) __builtin_trap();
    if (trace.ops.output_strides.size() != trace.ops.size()) __builtin_trap();
  } catch (const nadi::Error&) {
    return 0;
  }
  return 0;
}
