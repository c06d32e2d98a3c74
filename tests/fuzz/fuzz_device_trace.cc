// Feeds any bytes to the device-trace reader: it may refuse them, but not crash or hang.
#include "nadi/base/error.h"
#include "nadi/read/device_trace_reader.h"
#include "tests/fuzz/mutate_events.h"
#include "tests/fuzz/pieces.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  nadi::ByteSource source = nadi::source_in_pieces(data, size);
  nadi::Diagnostics diagnostics;
  try {
    const nadi::DeviceTrace trace = nadi::read_device_trace(source, diagnostics);
    const auto columns = {trace.ops.comm.size(), trace.ops.order.size()};
    for (const std::size_t length : columns)
      if (length != trace.ops.size()) __builtin_trap();
    if (trace.rows.comm.size() != trace.rows.size()) __builtin_trap();
  } catch (const nadi::Error&) {
    return 0;
  }
  return 0;
}
