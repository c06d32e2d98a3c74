#include "nadi/read/device_trace_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "nadi/base/error.h"
#include "nadi/read/device_header.h"
#include "nadi/read/device_rows.h"
#include "nadi/read/trace_start.h"
#include "nadi/read/trace_walk.h"

namespace nadi {
namespace {

constexpr std::uint64_t kMostEvents = 0xfffffffeU;

class DeviceTraceVisitor : public TraceVisitor {
 public:
  DeviceTraceVisitor(DeviceTrace& trace, Diagnostics& diagnostics)
      : trace_(trace), rows_(trace, diagnostics) {}

  bool wants(std::string_view key) const override { return is_device_header(key); }
  bool member(std::string_view key, std::string_view value) override {
    return read_device_header(parser_, key, value, trace_);
  }
  bool event(std::string_view object, std::uint64_t number) override {
    if (!fields_.parse(parser_, object)) return false;
    if (number > kMostEvents)
      throw Error(ErrorCode::kInput, fmt::format("event {}", number),
                  "more events than nadi can number", "Record fewer steps");
    rows_.add(fields_, static_cast<std::uint32_t>(number));
    return true;
  }

 private:
  DeviceTrace& trace_;
  DeviceRowBuilder rows_;
  JsonParser parser_;
  EventFields fields_;
};

}  // namespace

DeviceTrace read_device_trace(ByteSource& source, Diagnostics& diagnostics,
                              const Progress& progress) {
  Window window(source, progress);
  const std::string what = expect_trace(window, TraceType::kDeviceTrace);
  DeviceTrace trace;
  DeviceTraceVisitor visitor(trace, diagnostics);
  const WalkResult result = walk_trace(window, kDeviceTraceShape, visitor, diagnostics);
  window.finish();
  if (!result.found_list)
    refuse_trace(window, TraceType::kDeviceTrace, TraceType::kOther,
                 what + " without \"traceEvents\"");
  trace.event_count = result.events;
  const std::string& damage = source.damage();
  if (!damage.empty())
    report_damage(source.name() + ": " + damage, diagnostics);
  else if (!result.list_closed && diagnostics.count("truncated-input") == 0)
    diagnostics.report("truncated-input", Severity::kLoss,
                       fmt::format("after event {}", result.events));
  return trace;
}

}  // namespace nadi
