// Gives a target the ranks of a job whole, one after the other.
#pragma once

#include <functional>

#include "nadi/base/diagnostics.h"
#include "nadi/sim_bridge/job/job.h"
#include "nadi/sim_bridge/job/match_communications.h"

namespace nadi {

/// Changes one rank with all its nodes, whose recorded graph is given; what communicates stays as
/// it is in the job.
using ChangeRank = std::function<void(const Graph& graph, JobRank& rank, Diagnostics& diagnostics)>;

/// Takes a rank, with all its nodes in order, and may change it. `rank`: into Job::ranks.
using TakeRank = std::function<void(std::size_t rank, const Graph& graph, JobRank& whole)>;

/// Makes each rank whole, changes it, and calls take for it, in order, with its nodes in an order
/// in which no rank waits for another in a cycle (order_job.h). Each recorded graph is read once
/// to find that order, and once to be taken; no other is held at the time. Nodes of types that no
/// simulator runs are dropped, and memory nodes become compute nodes. Throws Error(kInput) as
/// order_communications does, or where nodes of one rank wait for each other in a cycle, before
/// the first is taken. `rounds`: so often all are taken, one after the other.
void visit_ranks(const Job& job, const JobMatches& matches, const ChangeRank& change,
                 Diagnostics& diagnostics, const TakeRank& take, std::size_t rounds = 1);

}  // namespace nadi
