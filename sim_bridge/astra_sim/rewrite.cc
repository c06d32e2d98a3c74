#include "nadi/sim_bridge/astra_sim/rewrite.h"

#include "nadi/sim_bridge/astra_sim/steps.h"
#include "nadi/sim_bridge/job/match_communications.h"
#include "nadi/sim_bridge/job/order_job.h"
#include "nadi/sim_bridge/job/prepare.h"

namespace nadi::astra_sim {

void rewrite(Job& job, const RewriteOptions& options, Diagnostics& diagnostics) {
  for (JobRank& rank : job.ranks) {
    drop_unknown_types(rank, diagnostics);
    drop_lone_collectives(job, rank, diagnostics);
  }
  const JobMatches matches = match_communications(job, options.drops_lonely_messages, diagnostics);
  replace_collectives(job, options, diagnostics);
  for (JobRank& rank : job.ranks) {
    anchor_unlaunched(rank, diagnostics);
    chain_streams(rank);
    add_host_delays(rank, diagnostics);
    add_operations(job.graphs[rank.graph], rank, options.memory_gb_per_s, diagnostics);
    relink_dropped(rank);
    close_rank(rank, diagnostics);
  }
  order_job(job, matches);
  for (JobRank& rank : job.ranks) chain_communications(rank);
}

}  // namespace nadi::astra_sim
