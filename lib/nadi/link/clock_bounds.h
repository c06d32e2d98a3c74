// Bounds a device's clock by its rows and calls: no row starts before its launch begins, and no row
// that a call waited for ends after the call has returned (schema/kineto.md, Clocks).
#pragma once

#include <cstdint>
#include <vector>

#include "nadi/model/device_trace.h"

namespace nadi {

/// A bound of theta, where device time = host time + theta: at host_ns, theta was at most (an upper
/// bound) or at least theta_ns.
struct ClockBound {
  Ns host_ns = 0;   ///< begin of the launch call (upper); return of the blocking call
  Ns theta_ns = 0;  ///< the row's start (upper), or its end, less host_ns
  CallIndex call;
  bool is_upper = false;
  /// True where a clock that is off would break the bound: the row started at once, or ended after
  /// the blocking call began.
  bool is_close = false;
};

struct DeviceBounds {
  std::int64_t device = -1;
  std::vector<ClockBound> bounds;
};

/// What calls say of one device row, in times of the host; kNoTime = nothing.
struct RowLimits {
  CallIndex call;       ///< the only one of its correlation; none = there is none, or several
  CallIndex waited_by;  ///< the first to return of the calls that waited for it; none = none did
  Ns launched_ns = kNoTime;         ///< begin of its launch
  Ns launch_returned_ns = kNoTime;  ///< its return; of a launch before the trace, the begin of the
                                    ///< trace's first call
  Ns waited_ns = kNoTime;           ///< the return of `waited_by`
  bool is_cuda = false;
  bool is_of_graph = false;  ///< the row is one of a graph launch
};

/// Two calls that say the same differ by no more than this: in what a launch takes, and in how late
/// a blocking call returns.
inline constexpr Ns kClockAgreement = 20'000;
/// Two clocks of one machine drift by less, ns per ns.
inline constexpr double kMostClockDrift = 1e-3;

/// Stamps come from strangers: beyond 73 years their differences may overflow.
inline bool is_far_stamp(Ns time) {
  constexpr Ns kFarthest = Ns{1} << 61;
  return time > kFarthest || time < -kFarthest;
}

/// Returns the bounds of each device, by device. Rows whose call is not known by its correlation
/// alone, whose times are garbage, or of backends other than CUDA and ROCm bound nothing, unless
/// their launches wait (waiting_launches.h).
std::vector<DeviceBounds> find_clock_bounds(const DeviceTrace& device,
                                            const ByRow<DeviceRows, RowLimits>& limits);

/// Returns, by device row, when its launch was and when the first call that waited for it returned;
/// no time of a device row changes that. Times are known of CUDA and ROCm alone. Of rows whose
/// correlation is smaller than those of all calls it is only known that they were launched before
/// these calls.
ByRow<DeviceRows, RowLimits> find_row_limits(const DeviceTrace& device);

}  // namespace nadi
