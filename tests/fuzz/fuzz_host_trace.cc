// Feeds any bytes to the host-trace reader: it may refuse them, but not crash or hang.
#include "nadi/base/error.h"
#include "nadi/read/host_trace_reader.h"
#include "tests/fuzz/mutate_events.h"
#include "tests/fuzz/pieces.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  nadi::ByteSource source = nadi::source_in_pieces(data, size);
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
