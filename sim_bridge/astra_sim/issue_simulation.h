// Runs the graphs of all ranks under ASTRA-sim's issue rules, with given times of communication.
#pragma once

#include <functional>
#include <map>

#include "nadi/sim_bridge/astra_sim/issue_rank.h"

namespace nadi::astra_sim {

struct StuckRank {
  std::size_t rank = 0;
  std::uint64_t nodes = 0;         ///< that never run
  std::uint32_t first = kNoIndex;  ///< issued and never finished, else the first that never issues
  std::string why;
};

struct IssueResult {
  Ns makespan_ns = 0;
  std::size_t most_ready = 0;  ///< nodes ready at one time on one rank
  std::size_t most_ready_rank = 0;
  std::vector<StuckRank> stuck;         ///< empty: all nodes of all ranks run
  std::vector<std::string> mismatches;  ///< members that issue different collectives (first few)
};

/// Members of a group by its number; 0 need not be there.
using GroupMembers = std::map<std::int64_t, std::vector<std::int64_t>>;

/// The groups with their members ascending, and with the one of all `ranks`, which is 0.
GroupMembers with_all_ranks(GroupMembers groups, std::size_t ranks);

/// ns of a communication that takes a slot; `measured_ns`: its node's duration.
using CommunicationTime = std::function<Ns(NodeType, const IssueCommunication&, Ns measured_ns)>;

/// When each member of a collective is done; members and the times at which they issued it are in
/// ascending order. Empty = all as long after the last start as CommunicationTime says.
using CollectiveEnds = std::function<std::vector<Ns>(const IssueCommunication&,
                                                     const std::vector<std::int64_t>& members,
                                                     const std::vector<Ns>& starts_ns)>;

/// Rules: one slot each for host ops, device compute and communication; a receive takes none; ready
/// nodes issue by ascending id as their slot is free; collectives of a group meet by issue order
/// and take the shortest member's duration; a broadcast takes its own; messages meet by (tag,
/// source, destination, bytes) in order, and a send ends after its own duration, received or not.
/// Throws Error(kInput) that names the longest node where all nodes, one after the other, would
/// take more than 30 years. `time` gives communication another duration than the measured one,
/// which adds up to no more than 30 years either; `ends` lets members of a collective end apart, no
/// earlier than the last start. `job_ranks`: of a larger job, in which all others run copies of
/// these (grow_job.h): since they do the same at the same times, a group has met when those of its
/// members that are given have. 0 = these are all.
IssueResult simulate_issue(const std::vector<IssueRank>& ranks, const GroupMembers& groups,
                           const CommunicationTime& time = {}, const CollectiveEnds& ends = {},
                           std::int64_t job_ranks = 0);

}  // namespace nadi::astra_sim
