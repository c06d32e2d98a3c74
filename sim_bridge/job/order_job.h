// One order of all nodes of a job in which no rank waits for another in a cycle, found from what
// each rank says of the order of its communication.
#pragma once

#include <cstdint>
#include <vector>

#include "nadi/base/adjacency.h"
#include "nadi/sim_bridge/job/job.h"
#include "nadi/sim_bridge/job/match_communications.h"

namespace nadi {

/// What holds up the communications of a rank. Vertex n stands for its communications[n]. Each
/// vertex behind these stands for a set of more than a few communications that something waits for.
struct CommunicationWaits {
  std::vector<Ns> start_ns;  ///< by vertex, on the job's clock: no node before it starts later
  Adjacency before;          ///< by vertex: those that must be over
  bool has_cycle = false;    ///< nodes of the rank wait for each other; the rest means nothing then
};

/// `rank`: with all its nodes, those of dropped ones relinked. O(n) for n nodes and dependencies.
CommunicationWaits find_communication_waits(const JobRank& rank, const RankClock& clock);

/// The turn of a communication among all of the job.
struct CommunicationTurn {
  Ns start_ns = 0;  ///< on the job's clock: nothing that it waits for, on any rank, starts later
  std::uint32_t turn = 0;
};

/// Sorts the communications of all ranks topologically, earliest start first: the nodes of a
/// matched collective are one vertex, except a broadcast's, which simulators do not match; a
/// receive comes after its send. Returns the turns by rank and communication. Throws Error(kInput)
/// that names the communications that wait for each other where there is no such order.
std::vector<std::vector<CommunicationTurn>> order_communications(
    const Job& job, const JobMatches& matches, const std::vector<CommunicationWaits>& waits);

/// Sets the order of a rank with all its nodes (those kept): topological, earliest start first, and
/// its communications by their turns.
void order_nodes(JobRank& rank, const RankClock& clock,
                 const std::vector<CommunicationTurn>& turns);

/// Makes each collective and send depend on the one before it in the rank's order. One
/// communication slot per rank holds them up one after the other anyway; chained, they keep the
/// order whatever the simulated times are, so that no rank can wait in a cycle.
void chain_communications(JobRank& rank);

}  // namespace nadi
