#include "nadi/link/clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "nadi/base/count_text.h"

namespace nadi {
namespace {

constexpr Ns kResolutionOfMicros = 2 * kNsPerMicro, kResolutionOfNanos = 10;

bool is_whole(const std::vector<Ns>& times) {
  return std::all_of(times.begin(), times.end(),
                     [](Ns time) { return time == kNoTime || time % kNsPerMicro == 0; });
}

bool has_whole_micros(const DeviceTrace& device) {
  return is_whole(device.rows.start_ns) && is_whole(device.rows.duration_ns) &&
         is_whole(device.calls.start_ns) && is_whole(device.calls.duration_ns);
}

/// From the first call's begin to the last call's return.
HostSpan host_span(const RuntimeCalls& calls) {
  HostSpan span{std::numeric_limits<Ns>::max(), std::numeric_limits<Ns>::min()};
  for (const CallIndex call : rows_of(calls)) {
    if (is_far_stamp(calls.start_ns[call])) continue;
    span.begin_ns = std::min(span.begin_ns, calls.start_ns[call]);
    span.end_ns = std::max(span.end_ns, call_end_ns(calls, call));
  }
  return span.begin_ns < span.end_ns ? span : HostSpan{};
}

/// Moves device times along a line, rounded as the trace's stamps are.
class ClockMapping {
 public:
  ClockMapping(const ClockLine& line, Ns unit) : line_(line), drift_(line.drift()), unit_(unit) {}

  Ns host_time(Ns device_time) const {
    // A stamp that is days off, or none, does not become better by a correction of the clock.
    if (device_time < line_.span.begin_ns - kFarthest ||
        device_time > line_.span.end_ns + kFarthest)
      return device_time;
    const auto ahead =
        static_cast<double>(device_time - line_.span.begin_ns - line_.at_begin_ns) / (1 + drift_);
    const Ns moved = line_.span.begin_ns + std::llround(ahead);
    return unit_ == 1 ? moved : moved - (moved % unit_ + unit_) % unit_;
  }

 private:
  static constexpr Ns kFarthest = Ns{24} * 3600 * 1'000'000'000;
  const ClockLine line_;
  const double drift_;
  const Ns unit_;
};

void move_rows(DeviceRows& rows, std::int64_t device, const ClockMapping& mapping) {
  for (const DeviceRowIndex row : rows_of(rows)) {
    Ns& start = rows.start_ns[row];
    Ns& duration = rows.duration_ns[row];
    if (rows.device[row] != device || is_far_stamp(start)) continue;
    const Ns end = mapping.host_time(start + duration);
    start = mapping.host_time(start);
    duration = std::max<Ns>(end - start, 0);
  }
}

/// The lane of a flow's device end names device and stream.
void move_flow_ends(DeviceTrace& trace, std::int64_t device, const ClockMapping& mapping) {
  const std::string name = std::to_string(device);
  for (const FlowIndex flow : rows_of(trace.flows)) {
    if (trace.flows.kind[flow] != FlowKind::kLaunch || trace.flows.is_finish[flow] == 0) continue;
    if (trace.strings[trace.threads[trace.flows.thread[flow]].pid] != name) continue;
    trace.flows.time_ns[flow] = mapping.host_time(trace.flows.time_ns[flow]);
  }
}

ClockCorrection correction_of(const DeviceClock& clock) {
  ClockCorrection correction;
  correction.device = clock.device;
  correction.offset_ns = clock.fit.line->at_begin_ns;
  correction.drift_ppb = std::llround(clock.fit.line->drift() * 1e9);
  correction.bounds = clock.bounds;
  correction.asked_by = clock.fit.asked_by;
  correction.outliers = clock.fit.outliers;
  correction.slack_ns = clock.fit.slack_ns;
  return correction;
}

void report_clock(const DeviceClock& clock, Diagnostics& diagnostics) {
  const std::string text = clock_text(clock);
  if (clock.fit.line)
    diagnostics.report(Finding::kClockCorrected, text);
  else if (clock.fit.is_another_clock)
    diagnostics.report(Finding::kClockForeign, text);
  if (clock.fit.outliers > 0 && !clock.fit.is_another_clock)
    diagnostics.report(Finding::kClockOutlier, text, clock.fit.outliers);
}

/// Gives all devices the line that their bounds ask for together, if it contradicts no more of any
/// device's than what its own bounds ask for.
void share_line(const std::vector<DeviceBounds>& bounds, const HostSpan& span, Ns resolution,
                std::vector<DeviceClock>& clocks) {
  if (clocks.size() < 2) return;
  std::vector<ClockBound> of_all;
  for (const DeviceBounds& of_device : bounds)
    of_all.insert(of_all.end(), of_device.bounds.begin(), of_device.bounds.end());
  const ClockFit together = fit_clock(of_all, span, resolution);
  if (!together.line) return;
  std::vector<DeviceClock> shared = clocks;
  for (std::size_t i = 0; i < clocks.size(); ++i) {
    shared[i].devices = clocks.size();
    shared[i].fit = together;
    shared[i].fit.outliers = outliers_of(*together.line, bounds[i].bounds, resolution);
    if (shared[i].fit.outliers > clocks[i].fit.outliers) return;
  }
  clocks = std::move(shared);
}

/// Devices that no call says anything about, if the others have one line: then they have it, too.
void add_unbounded(const DeviceRows& rows, std::vector<DeviceClock>& clocks) {
  if (clocks.empty() || !clocks.front().fit.line) return;
  if (clocks.size() > 1 && clocks.front().devices == 1) return;
  std::set<std::int64_t> devices(rows.device.begin(), rows.device.end());
  devices.erase(-1);
  for (const DeviceClock& clock : clocks) devices.erase(clock.device);
  for (const std::int64_t device : devices) {
    DeviceClock clock = clocks.front();
    clock.device = device;
    clock.bounds = clock.fit.outliers = 0;
    clocks.push_back(clock);
  }
  if (devices.empty()) return;
  for (DeviceClock& clock : clocks) clock.devices = clocks.size();
  std::sort(clocks.begin(), clocks.end(),
            [](const DeviceClock& a, const DeviceClock& b) { return a.device < b.device; });
}

}  // namespace

std::vector<DeviceClock> find_clocks(const DeviceTrace& device,
                                     const ByRow<DeviceRows, RowLimits>& limits) {
  const HostSpan span = host_span(device.calls);
  const Ns resolution = clock_resolution(device);
  const std::vector<DeviceBounds> bounds = find_clock_bounds(device, limits);
  std::vector<DeviceClock> clocks;
  clocks.reserve(bounds.size());
  for (const DeviceBounds& of_device : bounds)
    clocks.push_back(
        {of_device.device, of_device.bounds.size(), fit_clock(of_device.bounds, span, resolution)});
  share_line(bounds, span, resolution, clocks);
  add_unbounded(device.rows, clocks);
  return clocks;
}

std::string clock_text(const DeviceClock& clock) {
  const ClockFit& fit = clock.fit;
  const std::string of_bounds =
      fmt::format("{} of {}", fit.outliers, count_text(clock.bounds, "bound"));
  if (fit.is_another_clock)
    return fmt::format("device {}: off by more than 1 s or 1,000 ppm, times kept; {} contradicted",
                       clock.device, of_bounds);
  if (!fit.line)
    return fmt::format("device {}: {} contradicted, times kept", clock.device, of_bounds);
  const ClockLine& line = *fit.line;
  const std::string slack =
      fit.slack_ns < 0 ? ""
                       : fmt::format(", slack {:.3f} us", static_cast<double>(fit.slack_ns) / 1e3);
  const std::string devices = clock.devices > 1 ? fmt::format(" of {} devices", clock.devices) : "";
  return fmt::format(
      "device {}: {:+.3f} us, drift {:+.1f} ppm; asked for by {}{}, {} contradicted{}",
      clock.device, static_cast<double>(line.at_begin_ns) / 1e3, line.drift() * 1e6,
      count_text(fit.asked_by, "call"), devices, of_bounds, slack);
}

std::vector<ClockCorrection> correct_clocks(DeviceTrace& device,
                                            const ByRow<DeviceRows, RowLimits>& limits,
                                            Diagnostics& diagnostics) {
  std::vector<ClockCorrection> corrections;
  const Ns unit = has_whole_micros(device) ? kNsPerMicro : 1;
  for (const DeviceClock& clock : find_clocks(device, limits)) {
    report_clock(clock, diagnostics);
    if (!clock.fit.line) continue;
    const ClockMapping mapping(*clock.fit.line, unit);
    move_rows(device.rows, clock.device, mapping);
    move_flow_ends(device, clock.device, mapping);
    corrections.push_back(correction_of(clock));
  }
  if (!corrections.empty()) measure_span(device);
  return corrections;
}

Ns clock_resolution(const DeviceTrace& device) {
  return has_whole_micros(device) ? kResolutionOfMicros : kResolutionOfNanos;
}

}  // namespace nadi
