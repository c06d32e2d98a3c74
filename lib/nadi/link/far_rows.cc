#include "nadi/link/far_rows.h"

#include <algorithm>
#include <vector>

namespace nadi {

namespace {

/// b - a, ns; stamps come from strangers, and their difference may overflow.
double apart(Ns a, Ns b) { return static_cast<double>(b) - static_cast<double>(a); }

}  // namespace

void forget_far_times(DeviceTrace& device, Diagnostics& diagnostics) {
  constexpr double kFar = 3.6e12;
  constexpr std::size_t kRowsPerFarRow = 10;
  const Calls& calls = device.calls;
  DeviceRows& rows = device.rows;
  if (calls.size() == 0) return;
  const Ns first = *std::min_element(calls.start_ns.begin(), calls.start_ns.end());
  Ns last = first;
  for (std::size_t call = 0; call < calls.size(); ++call)
    last = std::max(last, calls.start_ns[call] + calls.duration_ns[call]);
  std::vector<std::uint32_t> far;
  for (std::uint32_t row = 0; row < rows.size(); ++row) {
    const Ns start = rows.start_ns[row];
    if (start != kNoTime && (apart(start, first) > kFar || apart(last, start) > kFar))
      far.push_back(row);
  }
  if (far.empty() || far.size() * kRowsPerFarRow > rows.size()) return;
  for (const std::uint32_t row : far) {
    rows.start_ns[row] = kNoTime;
    rows.duration_ns[row] = 0;
    diagnostics.report("garbage-time", Severity::kWarning, device.strings[rows.name[row]]);
  }
  measure_span(device);
}

}  // namespace nadi
