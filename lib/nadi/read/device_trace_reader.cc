#include "nadi/read/device_trace_reader.h"

#include "nadi/read/device_trace_builder.h"
#include "nadi/read/device_walk.h"

namespace nadi {

DeviceTrace read_device_trace(ByteSource& source, Diagnostics& diagnostics,
                              const Progress& progress) {
  DeviceTrace trace;
  DeviceTraceBuilder rows(trace, diagnostics);
  const ArgumentKeys keys = ArgumentKeys::of_fields();
  const EventSubscriber subscriber{
      keys, trace, [&](const TraceEvent& event, std::uint32_t index) { rows.add(event, index); }};
  trace.event_count = walk_device_trace(source, subscriber, diagnostics, progress);
  rows.finish();
  return trace;
}

}  // namespace nadi
