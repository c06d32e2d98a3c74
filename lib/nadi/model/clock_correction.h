// The correction that moved the times of one device onto the host's clock.
#pragma once

#include <cstdint>

#include "nadi/base/time.h"

namespace nadi {

/// In the middle of bounds no further apart than twice this (kClockAgreement), or where too few
/// calls contradict it to be corrected, a clock may be off by as much.
inline constexpr Ns kClockLeeway = 10'000;

/// Recorded device time = host time + theta, and theta is a line over host time. Device times of
/// the linked trace are host times already.
struct ClockCorrection {
  std::int64_t device = -1;
  Ns offset_ns = 0;            ///< theta when the first call of the trace began
  std::int64_t drift_ppb = 0;  ///< change of theta, ns per s of host time
  std::uint64_t bounds = 0;    ///< what rows and calls said of theta
  std::uint64_t asked_by =
      0;  ///< calls that the recorded times contradict and the corrected do not
  std::uint64_t outliers = 0;  ///< bounds that the corrected times contradict, too
  std::int64_t slack_ns = -1;  ///< how far apart theta's bounds leave it; -1 = one side has none
};

/// Calls visit(name, member) for each number, by its name in files.
template <class Clock, class Visit>
void for_each_number(Clock& clock, const Visit& visit) {
  visit("device", clock.device);
  visit("offset_ns", clock.offset_ns);
  visit("drift_ppb", clock.drift_ppb);
  visit("bounds", clock.bounds);
  visit("asked_by", clock.asked_by);
  visit("outliers", clock.outliers);
  visit("slack_ns", clock.slack_ns);
}

}  // namespace nadi
