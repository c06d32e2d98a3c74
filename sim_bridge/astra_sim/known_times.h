// What a rank does before any network can change it.
#pragma once

#include <vector>

#include "nadi/sim_bridge/astra_sim/ordered_nodes.h"

namespace nadi::astra_sim {

/// A cut is a node that waits for everything before it and for which everything after it waits.
/// When nodes start, counted from the last cut, is known whatever the network does, up to the first
/// moment at which a node that waited for communication might take the slot of the host or of the
/// device. From the next cut on times are known again, counted from that one.
class KnownTimes {
 public:
  /// Runs the rank's nodes under the issue rules, from cut to cut; the first one is the rank's
  /// begin. What waits for communication counts as ready at the earliest time it might be.
  /// O(n log n).
  explicit KnownTimes(const OrderedNodes& nodes);

  bool is_known(std::uint32_t n) const { return cut_[n] != kNoIndex; }
  /// Both are known after the same cut: their times may be compared.
  bool are_known(std::uint32_t a, std::uint32_t b) const {
    return is_known(a) && cut_[a] == cut_[b];
  }
  bool is_cut(std::uint32_t n) const { return cut_[n] == n; }
  /// When `source` ends, after the cut of `n`; -1 = before that cut, or one of them is not known.
  Ns end_ns(std::uint32_t source, std::uint32_t n) const {
    return are_known(source, n) ? start_ns_[source] + taken_ns_[source] : -1;
  }
  /// The node starts the moment its neighbour in the slot ends, for which alone it waits.
  bool follows(std::uint32_t n, const OrderedNodes& nodes) const;
  /// Of a known node, after its cut.
  Ns start_ns(std::uint32_t n) const { return start_ns_[n]; }
  /// What its slot ran before and after a known node, after the same cut; kNoIndex = nothing.
  std::uint32_t ran_before(std::uint32_t n) const;
  std::uint32_t ran_after(std::uint32_t n) const;

 private:
  std::vector<std::uint32_t> cut_;  // by node; kNoIndex = it is not known
  std::vector<Ns> start_ns_;        // of known nodes, after their cut
  std::vector<Ns> taken_ns_;
  std::vector<Slot> slot_;
  std::vector<std::uint32_t> ran_;       // by slot, as they ran
  std::vector<std::uint32_t> position_;  // by node: in ran_
};

/// A known node keeps of what it waits for what ends last, and its neighbour in the lane.
void drop_waits_that_never_bind(const KnownTimes& known, OrderedNodes& nodes);

}  // namespace nadi::astra_sim
