// Finds the smallest correction of a device clock that its bounds allow, where enough of them ask
// for one.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "nadi/base/time.h"
#include "nadi/link/clock_bounds.h"

namespace nadi {

/// The host times that the trace covers; end_ns > begin_ns.
struct HostSpan {
  Ns begin_ns = 0, end_ns = 1;
};

/// Theta over host time: a line through its values at both ends of the span.
struct ClockLine {
  HostSpan span;
  Ns at_begin_ns = 0, at_end_ns = 0;

  /// ns per ns of host time.
  double drift() const {
    return static_cast<double>(at_end_ns - at_begin_ns) /
           static_cast<double>(span.end_ns - span.begin_ns);
  }
  double theta(Ns host_ns) const {
    return static_cast<double>(at_begin_ns) +
           drift() * static_cast<double>(host_ns - span.begin_ns);
  }
};

struct ClockFit {
  /// The device's times are those of another clock: no line within the limits (1 s, 1,000 ppm)
  /// fits, and one beyond them contradicts fewer calls than ask for it.
  bool is_another_clock = false;
  std::optional<ClockLine> line;  ///< how the clock stands; none = as recorded
  std::uint64_t asked_by = 0;     ///< calls that recorded times contradict and the line does not
  std::uint64_t outliers = 0;  ///< bounds that the line, or recorded times where none, contradict
  std::int64_t slack_ns = -1;  ///< least upper less greatest lower bound, seen from the line;
                               ///< -1 = one side has none
};

/// Finds the correction of a clock; none if recorded times contradict no bound by more than the
/// resolution. Calls that recorded times contradict ask for a correction, and there must be enough
/// of them:
/// - one constant or line explains them within 20 us, and they lie in three tenths of the span or
///   more;
/// - or it explains all calls of their kind that would show an error, most of these ask, and they
///   are three or all there are;
/// - or one line keeps all bounds, and of a kind three calls or more ask, and at least half of
///   those that would show an error.
///
/// The correction is the smallest constant that keeps all bounds but outliers, else the line whose
/// largest |theta| is smallest. Where upper and lower bounds are no further apart than calls differ
/// (kClockAgreement), the constant, or else the line, lies in their middle. O(n log n).
ClockFit fit_clock(const std::vector<ClockBound>& bounds, const HostSpan& span, Ns resolution_ns);

/// Returns how many bounds a line contradicts.
std::uint64_t outliers_of(const ClockLine& line, const std::vector<ClockBound>& bounds,
                          Ns resolution_ns);

}  // namespace nadi
