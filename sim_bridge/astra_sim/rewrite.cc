#include "nadi/sim_bridge/astra_sim/rewrite.h"

#include <algorithm>

#include "nadi/sim_bridge/astra_sim/end_on_message.h"
#include "nadi/sim_bridge/astra_sim/host_delays.h"
#include "nadi/sim_bridge/astra_sim/one_slot.h"
#include "nadi/sim_bridge/astra_sim/one_slot_ranks.h"
#include "nadi/sim_bridge/astra_sim/operations.h"
#include "nadi/sim_bridge/astra_sim/quadratic_ready_nodes.h"
#include "nadi/sim_bridge/astra_sim/unsimulated_collectives.h"
#include "nadi/sim_bridge/job/match_communications.h"
#include "nadi/sim_bridge/job/order_job.h"
#include "nadi/sim_bridge/job/prepare.h"

namespace nadi::astra_sim {
namespace {

/// When the last of the nodes that were recorded ended, on the job's clock.
Ns recorded_end(const JobRank& rank, const RankClock& clock) {
  Ns end = 0;
  for (std::uint32_t n = 0; n < rank.size(); ++n)
    if (rank.has_row(n) && !rank.is_delay[n]) end = std::max(end, clock.job_ns(rank.end_ns(n)));
  return end;
}

/// A larger job has the delays of one whose ranks communicate.
Communication chosen(Communication wanted, const Job& job) {
  if (wanted != Communication::kAuto) return wanted;
  const bool communicates =
      std::any_of(job.ranks.begin(), job.ranks.end(), [](const JobRank& rank) {
        return std::count(rank.is_dropped.begin(), rank.is_dropped.end(), false) > 0;
      });
  return communicates || job.copies > 1 ? Communication::kNetwork : Communication::kReplay;
}

}  // namespace

std::string_view to_string(Communication communication) {
  constexpr std::string_view kWords[] = {"auto", "network", "replay"};
  return kWords[static_cast<std::size_t>(communication)];
}

RewrittenJob rewrite(Job& job, const RewriteOptions& options, Diagnostics& diagnostics,
                     const TakeRank& take) {
  drop_lone_collectives(job, diagnostics);
  JobMatches matches = match_communications(job, options.drops_lonely_messages, diagnostics);
  RewrittenJob result;
  result.communication = chosen(options.communication, job);
  const bool is_replayed = result.communication == Communication::kReplay;
  job.leaves_out_delays = !is_replayed;
  if (is_replayed)
    result.proxies = make_proxy_ranks(job, matches, diagnostics);
  else
    replace_collectives(job, options, diagnostics);
  const auto share = [&](const Graph& graph, JobRank& rank) {
    share_slots(graph, rank, diagnostics);
    cap_costs(rank, options.device);
  };
  const auto change = [&](const Graph& graph, JobRank& rank, Diagnostics& said) {
    anchor_unlaunched(rank, said);
    chain_streams(rank);
    add_host_delays(rank, said);
    add_operations(graph, rank, options.device, said);
    if (is_replayed) gather_short_delays(rank);
    relink_dropped(rank);
    close_rank(rank, is_replayed, said);
  };
  const bool tells_starts = std::all_of(job.graphs.begin(), job.graphs.end(),
                                        [](const Graph& graph) { return graph.tells_starts; });
  visit_ranks(job, matches, change, diagnostics,
              [&](std::size_t r, const Graph& graph, JobRank& whole) {
                if (tells_starts)
                  result.recorded_span_ns =
                      std::max(result.recorded_span_ns, recorded_end(whole, matches.clocks[r]));
                if (!is_replayed) {
                  share(graph, whole);
                  chain_communications(whole);
                  return take(r, graph, whole);
                }
                const std::size_t first = job.ranks.size() + result.proxies.size();
                auto sides =
                    move_aside(r, first + result.side_ranks, options.device.memory_gb_per_s, whole);
                require_simulated(job, first + result.side_ranks + sides.size());
                share(graph, whole);
                send_to_proxies(r, whole, job.ranks.size(), result.proxies);
                take(r, graph, whole);
                for (JobRank& side : sides) {
                  share(graph, side);
                  take(first + result.side_ranks++, graph, side);
                }
              });
  return result;
}

}  // namespace nadi::astra_sim
