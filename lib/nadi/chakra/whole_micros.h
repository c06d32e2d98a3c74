// Durations as the whole microseconds the Chakra schema wants, without losing any on the way.
#pragma once

#include <algorithm>
#include <cstdint>

#include "nadi/base/time.h"

namespace nadi {

/// Cuts the durations of a lane's nodes, in their order, and carries what is left over to the next.
class WholeMicros {
 public:
  WholeMicros() = default;
  /// `left_ns`: what the nodes before leave over.
  explicit WholeMicros(Ns left_ns) : left_(left_ns) {}

  Ns left_ns() const { return left_; }
  /// Returns duration_micros of a node, rounded down, so that the sum of a lane is its sum of
  /// nanoseconds, rounded down. What is below 0 counts against the next node.
  std::uint64_t take(Ns duration_ns) { return take(duration_ns, 0); }
  /// The same, rounded to the nearest, so that what waits for several lanes is as often early as
  /// late.
  std::uint64_t take_nearest(Ns duration_ns) { return take(duration_ns, kNsPerMicro / 2); }

 private:
  std::uint64_t take(Ns duration_ns, Ns rounding_ns) {
    constexpr Ns kLongest = Ns{1} << 62;  // durations come from strangers
    left_ += std::min(duration_ns, kLongest);
    const Ns whole = std::max<Ns>(left_ + rounding_ns, 0) / kNsPerMicro;
    left_ -= whole * kNsPerMicro;
    return static_cast<std::uint64_t>(whole);
  }

  Ns left_ = 0;
};

}  // namespace nadi
