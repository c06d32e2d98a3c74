// Runs a job under ASTRA-sim's issue rules with the times that its network takes for communication.
#pragma once

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
