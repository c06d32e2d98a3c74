// Time is int64 nanoseconds inside nadi; microseconds exist only in readers and writers.
#pragma once

#include <cstdint>
#include <limits>

namespace nadi {

using Ns = std::int64_t;

inline constexpr Ns kNsPerMicro = 1000;

/// A time the trace does not give (or gives as garbage).
inline constexpr Ns kNoTime = std::numeric_limits<Ns>::min();

}  // namespace nadi
