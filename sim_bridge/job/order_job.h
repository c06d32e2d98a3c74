// One order of all nodes of a job in which no rank waits for another in a circle.
#pragma once

#include "nadi/sim_bridge/job/job.h"
#include "nadi/sim_bridge/job/match_communications.h"

namespace nadi {

/// Sorts the merged graph of all ranks topologically, earliest start first: the nodes of a matched
/// collective are one vertex, except a broadcast's, which simulators do not match; a receive comes
/// after its send. Sets JobRank::order (nodes kept). Throws Error(kInput) that names the
/// collectives that wait for each other where there is no such order.
void order_job(Job& job, const JobMatches& matches);

/// Makes each collective and send depend on the one before it in the rank's order. One
/// communication slot per rank holds them up one after the other anyway; chained, they keep
/// order_job's order whatever the simulated times are, so that no rank can wait in a circle.
void chain_communications(JobRank& rank);

}  // namespace nadi
