// What a rank does before any network can change it.
#pragma once

#include <vector>

#include "nadi/sim_bridge/astra_sim/ordered_nodes.h"

namespace nadi::astra_sim {

/// Until its first communication begins, a rank's nodes start at times that no network changes.
class KnownTimes {
 public:
  /// Runs the rank's nodes under the issue rules until then. O(n log n). `nodes`: with `behind`.
  explicit KnownTimes(const OrderedNodes& nodes);

  bool is_known(std::uint32_t n) const { return start_ns_[n] >= 0; }
  /// Of a node that is known.
  Ns start_ns(std::uint32_t n) const { return start_ns_[n]; }
  Ns end_ns(std::uint32_t n) const { return start_ns_[n] + taken_ns_[n]; }
  /// The node starts the moment its neighbour in the slot ends, for which alone it waits.
  bool follows(std::uint32_t n, const OrderedNodes& nodes) const;
  /// Another row of the device runs between these two, the second of which is known.
  bool runs_another_between(std::uint32_t before, std::uint32_t n) const;

 private:
  std::vector<Ns> start_ns_;  // -1 = not known
  std::vector<Ns> taken_ns_;
  std::vector<std::uint32_t> device_order_;  // rows of the device as they ran
  std::vector<std::uint32_t> device_place_;  // by node: in that order
};

/// A known node keeps of what it waits for what ends last, and its neighbour in the lane.
void drop_waits_that_never_bind(const KnownTimes& known, OrderedNodes& nodes);

}  // namespace nadi::astra_sim
