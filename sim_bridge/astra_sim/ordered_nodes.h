// The nodes of a rank as ASTRA-sim runs them: in the order of their ids, each in a slot.
#pragma once

#include <cstdint>
#include <vector>

#include "nadi/base/adjacency.h"
#include "nadi/base/time.h"
#include "nadi/sim_bridge/astra_sim/issue_rules.h"
#include "nadi/sim_bridge/job/job.h"

namespace nadi::astra_sim {

/// Nodes of a rank by their position in its order: n is the n-th of them.
struct OrderedNodes {
  std::vector<Slot> slot;
  std::vector<std::uint32_t> lane;  ///< kNoIndex = none
  std::vector<Ns> ns;               ///< taken in the simulator: whole us, or 1 ns
  std::vector<std::uint32_t> before_in_slot, before_in_lane;  ///< kNoIndex = the first
  Adjacency on, behind;  ///< what each waits for, and what waits for it; each once

  std::size_t size() const { return slot.size(); }
  /// Sets both, from what each waits for.
  void link(Adjacency sources);
};

/// Without the 1 ns that the simulator gives nodes of no whole microsecond.
inline Ns whole_ns(Ns ns) { return ns / kNsPerMicro * kNsPerMicro; }

/// `rank`: in its final order, as written.
OrderedNodes ordered_nodes(const JobRank& rank);

/// Host nodes that follow each other take a time that nothing changes.
struct HostRuns {
  std::vector<std::uint32_t> run;  ///< by node: of host nodes the number of their run, from 1 on
  std::vector<Ns> end;             ///< by node: of host nodes their end after the run's begin
  std::uint32_t count = 0;
};
/// `follows`: by node, the one before it in its slot.
HostRuns host_runs(const OrderedNodes& nodes, const std::vector<bool>& follows);

/// Chains of nodes of a slot: each node waits for the one before it, which is its neighbour in the
/// slot or else in its lane; at least two are neighbours in the slot. The longest come first.
/// Searching one takes a time that grows with the rank, so of very many chains in a large rank,
/// which would take minutes, the shortest are left out.
std::vector<std::vector<std::uint32_t>> chains_of(const OrderedNodes& nodes, Slot slot);

/// By node, where in a chain it is and what it waits for of the chain, itself or through others:
/// numbers of the chain's nodes, counted from 1.
struct ChainWaits {
  std::vector<std::uint32_t> number;  ///< its own; 0 = it is none of the chain
  std::vector<std::uint32_t> last;    ///< of what it waits for; 0 = nothing of the chain
};
ChainWaits waits_for_chain(const OrderedNodes& nodes, const std::vector<std::uint32_t>& chain);

/// Marks the nodes of a chain for which something waits that does not wait for the next one anyway.
void find_waited_for(const OrderedNodes& nodes, const ChainWaits& waits,
                     std::vector<bool>& is_waited_for);

}  // namespace nadi::astra_sim
