#include "nadi/record/device.h"

#include "nadi/record/logged_comm.h"
#include "nadi/record/logged_device.h"
#include "nadi/record/recorder.h"

namespace nadi::record {

std::uint64_t begin_call(const CallStart& call) {
  if (!is_recording()) return 0;
  const std::string_view name = cut_text(call.name);
  const std::uint64_t correlation = next_correlation.fetch_add(1, std::memory_order_relaxed);
  const bool is_logged = log_event(
      {0, EventKind::kCallBegin, static_cast<std::uint8_t>(call.kind), 0, correlation},
      sizeof(std::int64_t) + sizeof(CallFacts) + text_bound(name), [&](EventWriter& writer) {
        EventWriter ticks(writer);
        writer.put(std::int64_t{0});
        writer.put(CallFacts{call.device, call.stream, call.event});
        writer.put_text(name);
        ticks.put(read_ticks(log_of_thread->tick_clock()));
      });
  return is_logged ? correlation : 0;
}

void end_call(std::uint64_t correlation) {
  if (correlation != 0 && is_recording()) log_time(EventKind::kCallEnd, correlation);
}

void add_device_row(const DeviceRow& row) {
  if (!is_recording()) return;
  const std::string_view name = cut_text(row.name);
  const bool has_comm = row.communication != nullptr;
  const std::size_t bound =
      sizeof(DeviceRowFacts) + text_bound(name) + (has_comm ? comm_bound(*row.communication) : 0);
  log_event({0, EventKind::kDeviceRow, static_cast<std::uint8_t>(row.kind), 0, row.correlation},
            bound, [&](EventWriter& writer) {
              writer.put(DeviceRowFacts{row.device, row.stream, row.start_ns, row.duration_ns,
                                        row.bytes, has_comm});
              writer.put_text(name);
              if (has_comm) put_comm(writer, *row.communication);
            });
}

}  // namespace nadi::record
