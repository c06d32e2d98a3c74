// Durations as the whole microseconds the Chakra schema wants, without losing any on the way.
#pragma once

#include <cstdint>
#include <vector>

#include "nadi/graph/graph.h"

namespace nadi {

/// For each node the nanoseconds (0 to 999) left over by the nodes before it on its lane, in id
/// order, delays included. With them the sum of a lane's whole_micros is the lane's sum of
/// nanoseconds, rounded down.
std::vector<std::uint16_t> carried_remainders(const Graph& graph, std::size_t lane_count);

/// duration_micros of a node; negative durations count as 0.
inline std::uint64_t whole_micros(Ns duration_ns, std::uint16_t remainder_ns) {
  const std::uint64_t ns = duration_ns > 0 ? static_cast<std::uint64_t>(duration_ns) : 0;
  return (ns + remainder_ns) / 1000;
}

}  // namespace nadi
