// Durations as the whole microseconds the Chakra schema wants, without losing any on the way.
#pragma once

#include <cstdint>

#include "nadi/base/time.h"

namespace nadi {

/// duration_micros of a node; negative durations count as 0.
inline std::uint64_t whole_micros(Ns duration_ns, std::uint16_t remainder_ns) {
  const std::uint64_t ns = duration_ns > 0 ? static_cast<std::uint64_t>(duration_ns) : 0;
  return (ns + remainder_ns) / 1000;
}

}  // namespace nadi
