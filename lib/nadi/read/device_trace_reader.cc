#include "nadi/read/device_trace_reader.h"

#include "nadi/base/error.h"
#include "nadi/read/device_trace_builder.h"
#include "nadi/read/device_walk.h"
#include "nadi/read/foreign_forms.h"

namespace nadi {
namespace {

/// Nothing that waits or launches is in a timeline, though it looks like a trace.
void refuse_timeline(const TraceEvent& event, const ByteSource& source) {
  if (event.value(Field::kPhase).view() != "M" ||
      event.value(Field::kArgName).view() != kTimelineProcess)
    return;
  throw Error(ErrorCode::kInput, source.name(),
              "this is a timeline of nadi replay, not a device trace",
              "Pass the traces or graphs that it was made from");
}

}  // namespace

DeviceTrace read_device_trace(ByteSource& source, Diagnostics& diagnostics,
                              const Progress& progress, Diagnostics* ambiguous) {
  DeviceTrace trace;
  DeviceTraceBuilder rows(trace, diagnostics);
  const ArgumentKeys keys = ArgumentKeys::of_fields();
  const EventSubscriber subscriber{keys, trace, [&](const TraceEvent& event, std::uint32_t index) {
                                     refuse_timeline(event, source);
                                     rows.add(event, index);
                                   }};
  trace.event_count = walk_device_trace(source, subscriber, diagnostics, progress);
  rows.finish(ambiguous == nullptr ? diagnostics : *ambiguous);
  return trace;
}

}  // namespace nadi
