#include "nadi/link/waiting_launches.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "nadi/link/clock_bounds.h"
#include "nadi/link/key_index.h"

namespace nadi {
namespace {

constexpr std::size_t kFewestLaunches = 20;
/// The clocks of host and device drift by some tens of microseconds.
constexpr Ns kMostLateness = 100'000;
constexpr Ns kLeastLateness = 10'000;  // rows that hardly vary tell nothing
constexpr Ns kTimesAsVaried = 5;

/// The calls of one name that launched one row each.
struct Launches {
  std::vector<Ns> durations;  ///< of the rows
  std::vector<Ns> late;       ///< from a row's end to its call's return
};

/// From the smallest to the largest, without the tenths at both ends.
Ns spread(std::vector<Ns>& times) {
  std::sort(times.begin(), times.end());
  const std::size_t tenth = times.size() / 10;
  return times[times.size() - 1 - tenth] - times[tenth];
}

bool wait(Launches& launches) {
  if (launches.late.size() < kFewestLaunches) return false;
  const Ns lateness = spread(launches.late);
  return lateness <= kMostLateness &&
         spread(launches.durations) >= kTimesAsVaried * std::max(lateness, kLeastLateness);
}

}  // namespace

ByRow<RuntimeCalls, bool> launches_that_wait(const DeviceTrace& device) {
  const DeviceRows& rows = device.rows;
  const KeyIndex<RuntimeCalls, std::int64_t> calls(device.calls.correlation, -1);
  const KeyIndex<DeviceRows, std::int64_t> row_of(rows.correlation, -1);
  std::map<StringId, Launches> by_name;
  for (const DeviceRowIndex row : rows_of(rows)) {
    const std::int64_t correlation = rows.correlation[row];
    const Ns start = rows.start_ns[row];
    if (correlation < 0 || start == kNoTime || is_far_stamp(start)) continue;
    const auto found = calls.rows(correlation);
    if (found.size() != 1 || row_of.rows(correlation).size() != 1) continue;
    const CallIndex call = found.front().row;
    if (is_far_stamp(device.calls.start_ns[call])) continue;
    Launches& launches = by_name[device.calls.name[call]];
    launches.durations.push_back(rows.duration_ns[row]);
    launches.late.push_back(call_end_ns(device.calls, call) - start - rows.duration_ns[row]);
  }
  std::set<StringId> waiting;
  for (auto& [name, launches] : by_name)
    if (wait(launches)) waiting.insert(name);
  ByRow<RuntimeCalls, bool> waits(device.calls.size());
  for (const CallIndex call : rows_of(device.calls))
    waits[call] = waiting.contains(device.calls.name[call]);
  return waits;
}

}  // namespace nadi
