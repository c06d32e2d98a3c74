#include "nadi/converters/timeline/timeline_writer.h"

#include "nadi/base/compression.h"
#include "nadi/converters/timeline/perfetto_trace.h"
#include "nadi/converters/timeline/trace_events.h"

namespace nadi {

TimelineFormat timeline_format_of(std::string_view path) {
  return without_compression(path).ends_with(".pftrace") ? TimelineFormat::kPerfetto
                                                         : TimelineFormat::kTraceEvents;
}

std::unique_ptr<TimelineWriter> make_timeline_writer(TimelineFormat format, const ByteSink& sink) {
  if (format == TimelineFormat::kPerfetto) return std::make_unique<PerfettoTraceWriter>(sink);
  return std::make_unique<TraceEventWriter>(sink);
}

}  // namespace nadi
