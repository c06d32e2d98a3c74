#include "nadi/emit/trace_header.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <string_view>

#include "nadi/base/number_text.h"
#include "nadi/base/utf8.h"

namespace nadi {
namespace {

constexpr Ns kNsPerMs = 1'000'000;

// The process of the first host op, else of the first runtime call.
std::uint64_t host_pid(const DeviceTrace& device, const StringTable& strings) {
  for (const std::span<const ThreadIndex> threads :
       {std::span(device.ops.thread), std::span(device.calls.thread)})
    for (const ThreadIndex thread : threads)
      if (thread)
        return number_of_text<std::uint64_t>(strings[device.threads[thread].pid]).value_or(0);
  return 0;
}

// Stamps come from strangers: wrap instead of overflowing.
Ns add_stamps(Ns a, Ns b) {
  return static_cast<Ns>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

std::uint64_t milliseconds(Ns base_ns, Ns time_ns) {
  if (time_ns == kNoTime) return 0;
  const Ns absolute = add_stamps(base_ns, time_ns);
  return absolute > 0 ? static_cast<std::uint64_t>(absolute / kNsPerMs) : 0;
}

/// Of a device that is not listed the name that all listed ones have.
std::string_view device_name_of(const DeviceTrace& device) {
  const auto& names = device.device_names;
  std::map<std::int64_t, std::size_t> rows;
  for (const std::int64_t number : device.rows.device) ++rows[number];
  const auto most = std::max_element(
      rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == rows.end() || names.empty()) return "";
  if (most->first >= 0 && most->first < std::ssize(names))
    return names[static_cast<std::size_t>(most->first)];
  if (std::count(names.begin(), names.end(), names[0]) < std::ssize(names)) return "";
  return names[0];
}

}  // namespace

TraceHeader header_of(const LinkedTrace& trace, const BuiltGraph& graph) {
  TraceHeader header;
  header.base_time_ns = add_stamps(trace.device.base_time_ns, graph.origin_ns);
  header.device_name = repair_utf8(device_name_of(trace.device));
  if (trace.has_host) {
    header.schema = repair_utf8(trace.strings[trace.host.schema]);
    header.pid = trace.host.pid;
    header.time = repair_utf8(trace.strings[trace.host.time]);
    header.start_ts = trace.host.start_ts;
    header.finish_ts = trace.host.finish_ts;
  } else {
    header.schema = kKinetoSchema;
    header.pid = host_pid(trace.device, trace.strings);
    header.start_ts = milliseconds(trace.device.base_time_ns, trace.device.first_ns);
    header.finish_ts = milliseconds(trace.device.base_time_ns, trace.device.last_ns);
  }
  return header;
}

}  // namespace nadi
