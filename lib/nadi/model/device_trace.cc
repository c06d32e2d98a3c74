#include "nadi/model/device_trace.h"

#include <algorithm>
#include <limits>

namespace nadi {

std::string_view to_string(SyncKind kind) {
  switch (kind) {
    case SyncKind::kStream:
      return "Stream Sync";
    case SyncKind::kEvent:
      return "Event Sync";
    case SyncKind::kContext:
      return "Context Sync";
    case SyncKind::kStreamWaitEvent:
      return "Stream Wait Event";
  }
  return "sync";
}

void measure_span(DeviceTrace& device) {
  Ns first = std::numeric_limits<Ns>::max(), last = kNoTime;
  const auto add = [&](const std::vector<Ns>& starts, const std::vector<Ns>& durations) {
    for (std::size_t row = 0; row < starts.size(); ++row) {
      if (starts[row] == kNoTime) continue;
      first = std::min(first, starts[row]);
      last = std::max(last, starts[row] + durations[row]);
    }
  };
  add(device.ops.start_ns, device.ops.duration_ns);
  add(device.calls.start_ns, device.calls.duration_ns);
  add(device.rows.start_ns, device.rows.duration_ns);
  add(device.syncs.start_ns, device.syncs.duration_ns);
  device.first_ns = last == kNoTime ? kNoTime : first;
  device.last_ns = last;
}

}  // namespace nadi
