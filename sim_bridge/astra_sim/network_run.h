// Runs a job under ASTRA-sim's issue rules with the times that its network takes for communication.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nadi/sim_bridge/astra_analytical/network_model.h"
#include "nadi/sim_bridge/astra_sim/issue_simulation.h"

namespace nadi::astra_sim {

/// What a job's network and system files say.
struct JobNetwork {
  Network network;
  CollectiveSystem system;
  std::string unmeasured;  ///< a setting that changes more than the model knows; empty = none
  std::vector<std::string> missing;  ///< settings that times depend on and the system file lacks
  std::vector<std::string>
      unknown;  ///< "all-reduce-implementation: rnig": not one of the simulator's
};

/// What a network takes the same time for: messages of one pair and size, and collectives of one
/// type, group and size.
struct Transfer {
  NodeType node_type = NodeType::kCollective;
  std::int64_t type = 0, bytes = 0;
  std::int64_t group = 0;         ///< of collectives
  std::int64_t src = 0, dst = 0;  ///< of messages
  friend auto operator<=>(const Transfer&, const Transfer&) = default;
};
/// `type`: of its node; a send and its receive are one transfer.
Transfer transfer_of(NodeType type, const IssueCommunication& c);

/// The time of a transfer; `groups` as in run_on_network. std::nullopt = collective_time or
/// message_time gives none, or the members of its group are not known.
std::optional<Ns> transfer_time(const Transfer& transfer, const GroupMembers& groups,
                                const Network& network, const CollectiveSystem& system);

struct NetworkRun {
  std::optional<Ns> makespan_ns;
  std::string unknown;  ///< why there is no makespan: "ALL_REDUCE of 64 bytes in group 1 is not …"
};

/// Each member of a collective starts when it issues it and is done at its collective_ends; a
/// message takes message_time; a broadcast takes its measured duration, as in the simulator.
/// `groups`: members by number, as the group file lists them; 0 = all ranks need not be there.
/// `job_ranks` as in simulate_issue.
NetworkRun run_on_network(const std::vector<IssueRank>& ranks, const GroupMembers& groups,
                          const JobNetwork& network, std::int64_t job_ranks = 0);

/// The makespan where collectives and messages take no time.
Ns makespan_without_communication(const std::vector<IssueRank>& ranks, const GroupMembers& groups,
                                  std::int64_t job_ranks = 0);

}  // namespace nadi::astra_sim
