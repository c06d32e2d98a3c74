// A rank's nodes on one line of time, for simulators that know no more than one processor of a
// rank.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "nadi/base/adjacency.h"
#include "nadi/sim_bridge/job/job.h"

namespace nadi::goal {

/// Something that stays an operation of its own: a communication, or a node of no length that waits
/// for one.
struct LineStop {
  static constexpr Ns kNever = std::numeric_limits<Ns>::max();
  std::uint32_t node = 0;
  Ns start_ns = 0;        ///< when all of the line that it waits for has passed
  Ns needed_ns = kNever;  ///< the line goes no further before it has ended; kNever = on and on
  bool waits_for_stop = false;
};

struct OneLane {
  std::vector<LineStop> stops;         ///< by start, equal ones in the order of their nodes
  std::vector<std::uint32_t> by_need;  ///< those that are needed, into stops, by needed_ns
  std::vector<bool> is_stop;           ///< by node; else it is in the line
  Ns end_ns = 0;
};

/// Runs the rank by itself, with communication that takes no time and lanes side by side: what
/// passes meanwhile is the line. A stop is needed where the first work that waits for it would
/// start, delays between the two not counted. `dependencies`: dependencies_by_node(rank). Throws
/// Error(kInput) where the graph's times are too long to add. Linear, but for sorting the stops.
OneLane put_on_one_lane(const Graph& graph, const JobRank& rank, const Adjacency& dependencies);

}  // namespace nadi::goal
