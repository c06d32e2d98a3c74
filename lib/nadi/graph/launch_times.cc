#include "nadi/graph/launch_times.h"

#include <algorithm>
#include <unordered_map>

#include "nadi/graph/lost_rows.h"
#include "nadi/model/row_order.h"

namespace nadi {
namespace {

/// The smallest latency of each API, and of all.
struct LaunchLatencies {
  std::unordered_map<StringId, Ns> of_api;
  Ns least = kNoTime;  ///< kNoTime = nothing is known

  void take(StringId api, Ns latency) {
    const auto [known, is_new] = of_api.try_emplace(api, latency);
    if (!is_new) known->second = std::min(known->second, latency);
    least = least == kNoTime ? latency : std::min(least, latency);
  }
  Ns of(StringId api) const {
    if (const auto known = of_api.find(api); known != of_api.end()) return known->second;
    return least == kNoTime ? 0 : least;
  }
};

bool is_pageable_copy(const LinkedTrace& linked, DeviceRowIndex row) {
  return linked.device.rows.kind[row] == DeviceRowKind::kMemcpy &&
         linked.strings[linked.device.rows.name[row]].find("Pageable") != std::string_view::npos;
}

/// By call: its row that starts first; none where it has none with a time of its own.
ByRow<RuntimeCalls, DeviceRowIndex> first_rows(const LinkedTrace& linked) {
  ByRow<RuntimeCalls, DeviceRowIndex> first(linked.device.calls.size());
  for (const DeviceRowIndex row : rows_of(linked.rows)) {
    const CallIndex call = linked.rows.launch[row];
    if (!call || linked.device.rows.start_ns[row] == kNoTime) continue;
    DeviceRowIndex& known = first[call];
    if (!known || row_start_ns(linked, row) < row_start_ns(linked, known)) known = row;
  }
  return first;
}

LaunchLatencies latencies_on_idle_streams(const LinkedTrace& linked,
                                          const ByRow<RuntimeCalls, DeviceRowIndex>& first) {
  const RuntimeCalls& calls = linked.device.calls;
  LaunchLatencies latencies;
  const ByRow<DeviceRows, bool> may_have_queued = rows_behind_lost_rows(linked);
  for (const auto& lane : linked.rows_by_lane) {
    Ns busy_until = kNoTime;
    for (const DeviceRowIndex row : lane) {
      const CallIndex call = linked.rows.launch[row];
      const Ns begin = call ? calls.start_ns[call] : kNoTime;
      const bool is_short = call && calls.duration_ns[call] <= kLongLaunch;
      const bool is_known = may_have_queued.empty() || !may_have_queued[row];
      if (is_short && is_known && first[call] == row && busy_until <= begin &&
          row_start_ns(linked, row) >= begin)
        latencies.take(calls.name[call], row_start_ns(linked, row) - begin);
      busy_until = std::max(busy_until, row_end_ns(linked, row));
    }
  }
  return latencies;
}

}  // namespace

ByRow<RuntimeCalls, Ns> launch_times(const LinkedTrace& linked) {
  const RuntimeCalls& calls = linked.device.calls;
  const ByRow<RuntimeCalls, DeviceRowIndex> first = first_rows(linked);
  ByRow<RuntimeCalls, Ns> times = calls.start_ns;
  const auto is_long = [&](CallIndex call) {
    return calls.duration_ns[call] > kLongLaunch + linked.clock_resolution_ns && first[call] &&
           linked.calls.role[call] == CallRole::kLaunches && !is_pageable_copy(linked, first[call]);
  };
  std::vector<CallIndex> long_calls;
  for (const CallIndex call : rows_of(calls))
    if (is_long(call)) long_calls.push_back(call);
  if (long_calls.empty()) return times;
  const LaunchLatencies latencies = latencies_on_idle_streams(linked, first);
  for (const CallIndex call : long_calls) {
    const Ns row = row_start_ns(linked, first[call]) - latencies.of(calls.name[call]);
    times[call] = std::max(times[call], std::min(times[call] + calls.duration_ns[call], row));
  }
  return times;
}

}  // namespace nadi
