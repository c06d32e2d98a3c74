// The nodes of a rank as ASTRA-sim runs them: in the order of their ids, each in a slot.
#pragma once

#include <cstdint>
#include <vector>

#include "nadi/base/adjacency.h"
#include "nadi/base/time.h"
#include "nadi/sim_bridge/job/job.h"

namespace nadi::astra_sim {

enum class Slot : std::uint8_t { kHost, kDevice, kCommunication, kNone };

/// Nodes of a rank by their place in its order: n is the n-th of them.
struct OrderedNodes {
  std::vector<Slot> slot;
  std::vector<std::uint32_t> lane;  ///< kNoIndex = none
  std::vector<Ns> ns;               ///< taken in the simulator: whole us, or 1 ns
  std::vector<std::uint32_t> before_in_slot, before_in_lane;  ///< kNoIndex = the first
  Adjacency on, behind;  ///< what each waits for, and what waits for it; each once

  std::size_t size() const { return slot.size(); }
};

/// Without the 1 ns that the simulator gives nodes of no whole microsecond.
inline Ns whole_ns(Ns ns) { return ns / kNsPerMicro * kNsPerMicro; }

/// `rank`: in its final order, as written. `behind` stays empty.
OrderedNodes ordered_nodes(const JobRank& rank);

/// Makes `behind` of `on`.
void link_back(OrderedNodes& nodes);

/// Nodes of a slot, each of which waits for the one before it, its neighbour in the slot or else in
/// its lane; some are neighbours in the slot. The longest ones: each will be searched in a time
/// that grows with the rank, and of very many in a large rank, which would take minutes, the
/// shortest are left out.
std::vector<std::vector<std::uint32_t>> chains_of(const OrderedNodes& nodes, Slot slot);

}  // namespace nadi::astra_sim
