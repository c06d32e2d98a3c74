// Proves that all nodes of a job run under ASTRA-sim's issue rules, whatever their times are, from
// what each rank's communication waits for.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "nadi/sim_bridge/astra_sim/issue_simulation.h"
#include "nadi/sim_bridge/job/order_job.h"

namespace nadi::astra_sim {

/// Only communication takes a slot for as long as other ranks like. Where the collectives and sends
/// of each rank wait one for the other, they are issued in that order at any times; and where these
/// orders, with the receives, have one order in which no rank waits for another in a cycle, the
/// first of it that is not over can always run. Sends alone hold the slot for their own time, in
/// whatever order.
class RunProof {
 public:
  /// Takes what the rank's communication waits for, of a graph without cycles: about 120 bytes for
  /// each.
  void add(std::size_t rank, const IssueRank& of_rank);

  /// Returns why it is not proven; nothing where it is. `groups` as in simulate_issue; ranks that
  /// were not added have no nodes.
  std::optional<std::string> gap(GroupMembers groups, std::size_t ranks) const;

 private:
  struct Communication {
    NodeType type = NodeType::kInvalid;
    IssueCommunication what;
  };
  struct Rank {
    std::vector<Communication> communications;
    std::vector<std::uint32_t> chain;  // those that take the slot, in their order
    bool is_chain = true;  // each waits for the one before it, or none waits for other ranks
    CommunicationWaits waits;
  };
  friend class ProofJob;

  std::vector<Rank> ranks_;
};

}  // namespace nadi::astra_sim
