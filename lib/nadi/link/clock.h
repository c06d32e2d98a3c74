// Device clocks against the host's: one correction per device, where the trace contradicts itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/link/clock_fit.h"
#include "nadi/model/clock_correction.h"
#include "nadi/model/device_trace.h"

namespace nadi {

enum class ClockMode : std::uint8_t {
  kAuto,        ///< device times that calls contradict are moved onto the host's clock
  kAsRecorded,  ///< all times stay
};

/// The clock of one device against the host's.
struct DeviceClock {
  std::int64_t device = -1;
  std::uint64_t bounds = 0;
  ClockFit fit;
  std::size_t devices = 1;  ///< whose bounds ask for the line, and which all have it
};

/// Returns, by device, the clock of each device whose times are bounded by calls. All devices of a
/// process get their stamps from one library, so one correction of all is tried, too: if it
/// contradicts no more bounds of any device than that device's own correction does, all devices
/// have it, those without bounds as well, and the fit is of the bounds of all; only the outliers
/// stay each device's own. Changes nothing; rows of cuda_sync are host times.
std::vector<DeviceClock> find_clocks(const DeviceTrace& device,
                                     const ByRow<DeviceRows, RowLimits>& limits);

/// "device 0: +5.500 us, drift +0.0 ppm; asked for by 3 calls, 0 of 6 bounds contradicted, slack
/// 8.000 us", or "asked for by 3 calls of 2 devices"; of a clock that stays, what contradicts it.
std::string clock_text(const DeviceClock& clock);

/// Moves the times of device rows and of the device ends of launch flows onto the host's clock, and
/// reports what moved and what did not fit (`clock-corrected`, `clock-outlier`, `clock-foreign`).
/// Starts and ends are mapped, so rows of a lane stay in order. Returns what was moved, by device.
std::vector<ClockCorrection> correct_clocks(DeviceTrace& device,
                                            const ByRow<DeviceRows, RowLimits>& limits,
                                            Diagnostics& diagnostics);

/// Returns by how much times that are in order may seem to overlap: 2 us where all stamps of calls
/// and device rows are whole microseconds, else 10 ns.
Ns clock_resolution(const DeviceTrace& device);

}  // namespace nadi
