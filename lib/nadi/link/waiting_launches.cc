#include "nadi/link/waiting_launches.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "nadi/base/id_map.h"
#include "nadi/base/key_index.h"
#include "nadi/link/clock_bounds.h"

namespace nadi {
namespace {

/// Calls that wait return a little after their rows have ended; the clocks of host and device may
/// part by some tens of microseconds.
constexpr Ns kMostEarly = 50'000, kMostLate = 100'000, kMostApart = 100'000;

/// A call whose rows take long.
struct LongLaunch {
  Ns late = 0;  ///< from the last row's end to the return
  Ns length = 0;
};

bool wait(std::vector<LongLaunch>& launches, const Hypotheses& hypotheses) {
  const auto middle = launches.begin() + static_cast<std::ptrdiff_t>(launches.size() / 2);
  std::nth_element(launches.begin(), middle, launches.end(),
                   [](const LongLaunch& a, const LongLaunch& b) { return a.late < b.late; });
  const Ns median = middle->late;
  const auto is_near = [median](const LongLaunch& launch) {
    return std::abs(launch.late - median) <= std::min(launch.length / 2, kMostApart);
  };
  const auto near =
      static_cast<std::size_t>(std::count_if(launches.begin(), launches.end(), is_near));
  return median >= -kMostEarly && median <= kMostLate &&
         hypotheses.hold(Hypothesis::kLaunchesWait, {launches.size(), near});
}

/// From the first row's start to the last one's end; without length where that is not known.
struct Span {
  Ns start = kNoTime, end = kNoTime;
};

Span span_of(const DeviceTrace& device,
             std::span<const KeyIndex<DeviceRows, std::int64_t>::Entry> rows) {
  Span span;
  for (const auto& [correlation, row] : rows) {
    const Ns start = device.rows.start_ns[row];
    if (start == kNoTime || is_far_stamp(start)) return {};
    const Ns end = start + device.rows.duration_ns[row];
    span.start = span.start == kNoTime ? start : std::min(span.start, start);
    span.end = span.end == kNoTime ? end : std::max(span.end, end);
  }
  return span;
}

/// By correlation, of those whose rows take long.
IdMap<std::int64_t, Span> spans_of_long_launches(const DeviceTrace& device) {
  const KeyIndex<DeviceRows, std::int64_t> by_correlation(device.rows.correlation, -1);
  IdMap<std::int64_t, Span> spans;
  by_correlation.for_each_key([&](const auto& rows) {
    const std::int64_t correlation = rows.front().key;
    const Span span = span_of(device, rows);
    if (correlation >= 0 && span.end - span.start >= info(Hypothesis::kLaunchesWait).evident_ns)
      spans.emplace(correlation, span);
  });
  return spans;
}

}  // namespace

ByRow<RuntimeCalls, bool> launches_that_wait(const DeviceTrace& device,
                                             const Hypotheses& hypotheses) {
  const auto long_spans = spans_of_long_launches(device);
  std::map<StringId, std::vector<LongLaunch>> by_name;
  for (const CallIndex call : rows_of(device.calls)) {
    const auto span = long_spans.find(device.calls.correlation[call]);
    if (span == long_spans.end() || is_far_stamp(device.calls.start_ns[call])) continue;
    by_name[device.calls.name[call]].push_back({call_end_ns(device.calls, call) - span->second.end,
                                                span->second.end - span->second.start});
  }
  std::set<StringId> waiting;
  for (auto& [name, launches] : by_name)
    if (wait(launches, hypotheses)) waiting.insert(name);
  ByRow<RuntimeCalls, bool> waits(device.calls.size());
  for (const CallIndex call : rows_of(device.calls))
    waits[call] = waiting.contains(device.calls.name[call]);
  return waits;
}

}  // namespace nadi
