// Time is int64 nanoseconds inside nadi; microseconds exist only in readers and writers.
#pragma once

#include <cstdint>
#include <limits>

namespace nadi {

using Ns = std::int64_t;

inline constexpr Ns kNsPerMicro = 1000;

/// A time the trace does not give (or gives as garbage).
inline constexpr Ns kNoTime = std::numeric_limits<Ns>::min();

/// 30 years in ns; whatever adds up to less can be added in Ns in any order.
inline constexpr double kLongestSum = 1e18;

/// The sum of two lengths of time; int64's end where it is longer: lengths of many lanes may be.
constexpr Ns saturated_sum(Ns a, Ns b) {
  Ns sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<Ns>::max() : sum;
}

}  // namespace nadi
