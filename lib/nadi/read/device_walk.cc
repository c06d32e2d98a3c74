#include "nadi/read/device_walk.h"

#include <fmt/format.h>

#include "nadi/base/error.h"
#include "nadi/read/trace_start.h"

namespace nadi {

std::uint64_t walk_device_trace(ByteSource& source, TraceVisitor& visitor, Diagnostics& diagnostics,
                                const Progress& progress) {
  Window window(source, progress);
  const std::string what = expect_trace(window, TraceType::kDeviceTrace);
  const WalkResult result = walk_trace(window, kDeviceTraceShape, visitor, diagnostics);
  window.finish();
  if (!result.found_list)
    refuse_trace(window, TraceType::kDeviceTrace, TraceType::kOther,
                 what + " without \"traceEvents\"");
  const std::string& damage = source.damage();
  if (!damage.empty())
    report_damage(source.name() + ": " + damage, diagnostics);
  else if (!result.list_closed && diagnostics.count("truncated-input") == 0)
    diagnostics.report("truncated-input", Severity::kLoss,
                       fmt::format("after event {}", result.events));
  return result.events;
}

std::uint32_t event_index(std::uint64_t number) {
  constexpr std::uint64_t kMostEvents = 0xfffffffeU;
  if (number > kMostEvents)
    throw Error(ErrorCode::kInput, fmt::format("event {}", number),
                "more events than nadi can number", "Record fewer steps");
  return static_cast<std::uint32_t>(number);
}

}  // namespace nadi
