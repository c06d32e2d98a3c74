#include "nadi/read/device_trace_reader.h"

#include "nadi/read/device_header.h"
#include "nadi/read/device_trace_builder.h"
#include "nadi/read/device_walk.h"

namespace nadi {
namespace {

class DeviceTraceVisitor : public TraceVisitor {
 public:
  DeviceTraceVisitor(DeviceTrace& trace, Diagnostics& diagnostics)
      : trace_(trace), rows_(trace, diagnostics) {}

  bool wants(std::string_view key) const override { return is_device_header(key); }
  bool member(std::string_view key, std::string_view value) override {
    return read_device_header(parser_, key, value, trace_);
  }
  void begin_perfetto() override { trace_.is_perfetto = true; }
  bool event(std::string_view object, std::uint64_t number) override {
    if (!fields_.parse(parser_, object)) return false;
    rows_.add(fields_, event_index(number));
    return true;
  }
  bool wants_fields() const override { return true; }
  void fields(const EventFields& fields, std::uint64_t number) override {
    rows_.add(fields, event_index(number));
  }
  void finish() { rows_.finish(); }

 private:
  DeviceTrace& trace_;
  DeviceTraceBuilder rows_;
  JsonParser parser_;
  EventFields fields_;
};

}  // namespace

DeviceTrace read_device_trace(ByteSource& source, Diagnostics& diagnostics,
                              const Progress& progress) {
  DeviceTrace trace;
  DeviceTraceVisitor visitor(trace, diagnostics);
  trace.event_count = walk_device_trace(source, visitor, diagnostics, progress);
  visitor.finish();
  return trace;
}

}  // namespace nadi
