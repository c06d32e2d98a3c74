#include "nadi/sim_bridge/astra_sim/rewrite.h"

#include <algorithm>

#include "nadi/sim_bridge/astra_sim/rewrite_steps.h"
#include "nadi/sim_bridge/astra_sim/side_ranks.h"
#include "nadi/sim_bridge/job/match_communications.h"
#include "nadi/sim_bridge/job/order_job.h"
#include "nadi/sim_bridge/job/prepare.h"

namespace nadi::astra_sim {
namespace {

using namespace ChakraProtoMsg;

/// A rank without nodes gets one; one that would end on a send or receive gets a compute node after
/// all others. `are_messages`: others become messages, or may.
void close_rank(JobRank& rank, bool are_messages, Diagnostics& diagnostics) {
  JobNode end;
  end.synthetic_name = "end";
  end.is_host = true;
  end.duration_ns = 1;
  std::vector<bool> is_waited_for(rank.nodes.size(), false);
  for (const JobDependency& dependency : rank.dependencies) is_waited_for[dependency.on] = true;
  std::vector<std::uint32_t> last;
  bool ends_on_message = are_messages, is_empty = true;
  for (std::uint32_t n = 0; n < rank.nodes.size(); ++n) {
    const JobNode& node = rank.nodes[n];
    if (node.is_dropped) continue;
    is_empty = false;
    end.start_ns = std::max(end.start_ns, end_of(node));
    if (is_waited_for[n]) continue;
    last.push_back(n);
    ends_on_message |= node.type == NodeType::kSend || node.type == NodeType::kReceive;
  }
  if (!is_empty && !ends_on_message) return;
  const auto number = static_cast<std::uint32_t>(rank.nodes.size());
  for (const std::uint32_t node : last) rank.dependencies.push_back({number, node});
  rank.nodes.push_back(end);
  diagnostics.report(is_empty ? Finding::kEmptyRankFilled : Finding::kEndNodeAdded,
                     "rank " + std::to_string(rank.recorded_rank));
}

/// When the last of the nodes that were recorded ended, on the job's clock.
Ns recorded_end(const JobRank& rank, const RankClock& clock) {
  Ns end = 0;
  for (const JobNode& node : rank.nodes)
    if (node.row != kNoIndex && !node.is_delay) end = std::max(end, clock.job_ns(end_of(node)));
  return end;
}

}  // namespace

std::string_view to_string(Communication communication) {
  return communication == Communication::kNetwork ? "network" : "replay";
}

RewrittenJob rewrite(Job& job, const RewriteOptions& options, Diagnostics& diagnostics,
                     const TakeRank& take) {
  const bool is_replayed = options.communication == Communication::kReplay;
  for (JobRank& rank : job.ranks) drop_lone_collectives(job, rank, diagnostics);
  JobMatches matches = match_communications(job, options.drops_lonely_messages, diagnostics);
  RewrittenJob result;
  if (is_replayed)
    result.proxies = make_proxy_ranks(job, matches, diagnostics);
  else
    replace_collectives(job, options, diagnostics);
  const auto change = [&](const Graph& graph, JobRank& rank, Diagnostics& said) {
    anchor_unlaunched(rank, said);
    chain_streams(rank);
    add_host_delays(rank, said);
    add_operations(graph, rank, options.memory_gb_per_s, said);
    if (is_replayed) gather_short_delays(rank);
    relink_dropped(rank);
    close_rank(rank, is_replayed, said);
  };
  visit_ranks(
      job, matches, change, diagnostics, [&](std::size_t r, const Graph& graph, JobRank& whole) {
        result.recorded_span_ns =
            std::max(result.recorded_span_ns, recorded_end(whole, matches.clocks[r]));
        if (!is_replayed) {
          share_slots(whole, diagnostics);
          chain_communications(whole);
          return take(r, graph, whole);
        }
        const std::size_t first = job.ranks.size() + result.proxies.size();
        auto sides = move_aside(r, first + result.side_ranks, options.memory_gb_per_s, whole);
        require_simulated(job, first + result.side_ranks + sides.size());
        share_slots(whole, diagnostics);
        send_to_proxies(r, whole, job.ranks.size(), result.proxies);
        take(r, graph, whole);
        for (JobRank& side : sides) {
          share_slots(side, diagnostics);
          take(first + result.side_ranks++, graph, side);
        }
      });
  return result;
}

}  // namespace nadi::astra_sim
