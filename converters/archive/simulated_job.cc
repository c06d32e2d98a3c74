#include "nadi/converters/archive/simulated_job.h"

#include <string>
#include <utility>
#include <vector>

#include "nadi/base/count_text.h"
#include "nadi/base/error.h"
#include "nadi/converters/simulator_files.h"
#include "nadi/sim_bridge/astra_sim/choose_network.h"
#include "nadi/sim_bridge/astra_sim/coarsen.h"
#include "nadi/sim_bridge/astra_sim/stream_overflow.h"
#include "nadi/sim_bridge/job/share_out.h"

namespace nadi {
namespace {

void require_few_groups(const Job& larger, std::size_t copies) {
  if (copies < 2 || std::ssize(larger.groups) <= astra_sim::kMostGroups) return;
  throw Error(ErrorCode::kInput, larger.graphs.front().name,
              "a job of " + count_text(larger.ranks.size(), "rank") + " has " +
                  std::to_string(larger.groups.size()) + " process groups; ASTRA-sim keeps " +
                  std::to_string(astra_sim::kMostGroups) + " apart",
              "Choose a smaller `world`, or let more groups grow (`grow`): those that do not are "
              "there once per copy");
}

/// The analytical network refuses a job of one rank: an idle second one stands beside it.
Job with_idle_rank(Job job, Diagnostics& diagnostics) {
  if (std::ssize(job.ranks) * job.copies > 1) return job;
  JobRank idle;
  idle.is_idle = true;
  idle.recorded_rank = job.ranks.front().recorded_rank + 1;
  job.ranks.push_back(std::move(idle));
  diagnostics.report(Finding::kIdleRankAdded, "the analytical network refuses a job of one rank");
  return job;
}

}  // namespace

RankCoarsener::RankCoarsener(const ConvertRanksOptions& options) : off_ns_(options.coarsen_off_ns) {
  if (!options.coarsen_map.empty() && off_ns_) map_.emplace(options.coarsen_map);
  if (map_) map_->write("rank,id,recorded_id,coarse_id\n");
}

void RankCoarsener::coarsen(std::size_t rank, const Graph& graph, JobRank& whole) {
  if (!off_ns_) return;
  const astra_sim::Coarsening done = astra_sim::coarsen(whole, *off_ns_);
  fine_nodes_ += done.fine_order.size();
  if (!map_) return;
  std::vector<std::size_t> id(whole.size(), 0);
  for (std::size_t position = 0; position < whole.order.size(); ++position)
    id[whole.order[position]] = position + 1;
  std::string text;
  for (std::size_t position = 0; position < done.fine_order.size(); ++position) {
    const std::uint32_t node = done.fine_order[position], row = whole.row[node];
    text += std::to_string(rank) + "," + std::to_string(position + 1) + "," +
            (row == kNoIndex ? "" : std::to_string(graph.id[row])) + "," +
            std::to_string(id[done.into[node]]) + "\n";
  }
  map_->write(text);
}

void RankCoarsener::commit() {
  if (map_) map_->commit();
}

bool is_replayed(const astra_sim::RewrittenJob& job) {
  return job.communication == astra_sim::Communication::kReplay;
}

SimulatedJob::SimulatedJob(Job job, const ConvertRanksOptions& options, Diagnostics& diagnostics)
    : options_(options),
      diagnostics_(diagnostics),
      coarsener_(options),
      job_(with_idle_rank(std::move(job), diagnostics)),
      copies_(job_),
      larger_(copies_.outline(job_)) {
  options_.rewrite.device = astra_sim::speed_of_device(job_, diagnostics_);
  require_few_groups(larger_, copies_.count());
}

astra_sim::RewrittenJob SimulatedJob::rewrite(ConvertRanksReport& report, const TakeRank& take) {
  const auto take_coarse = [&](std::size_t rank, const Graph& graph, JobRank& whole) {
    if (copies_.count() > 1) report.shared_nodes += share_out_optimizer(job_, rank, graph, whole);
    coarsener_.coarsen(rank, graph, whole);
    take(rank, graph, whole);
  };
  const auto rewritten = astra_sim::rewrite(job_, options_.rewrite, diagnostics_, take_coarse);
  report.fine_nodes = coarsener_.fine_nodes();
  return rewritten;
}

std::int64_t SimulatedJob::ranks(const astra_sim::RewrittenJob& rewritten) const {
  return std::ssize(larger_.ranks) + std::ssize(rewritten.proxies) +
         static_cast<std::int64_t>(rewritten.side_ranks);
}

astra_sim::RunOptions SimulatedJob::run_options(const astra_sim::RewrittenJob& rewritten) const {
  astra_sim::RunOptions run;
  run.network = network(rewritten);
  if (copies_.count() > 1) run.job_ranks = astra_sim::npus_of(run.network->network);
  if (options_.network.is_fitted && copies_.count() == 1 && !is_replayed(rewritten))
    run.recorded_span_ns = rewritten.recorded_span_ns;
  run.runs_without_communication = options_.worlds.size() > 1;
  return run;
}

void SimulatedJob::forget() {
  job_ = {};
  larger_ = {};
}

astra_sim::JobNetwork SimulatedJob::network(const astra_sim::RewrittenJob& rewritten) const {
  if (is_replayed(rewritten)) {
    astra_sim::JobNetwork replayed =
        astra_sim::replay_network(ranks(rewritten), options_.rewrite.backend);
    replayed.system.memory_gb_per_s = options_.rewrite.device.memory_gb_per_s;
    return replayed;
  }
  astra_sim::JobNetwork plain = chosen_network(options_.network, options_.rewrite.backend,
                                               std::ssize(job_.ranks) * job_.copies);
  const bool may_have_two_links =
      options_.network.is_fitted && options_.worlds.empty() &&
      plain.network.dimensions.size() == 1 &&
      plain.network.dimensions.front().topology != astra_sim::Topology::kRing &&
      options_.rewrite.backend == astra_sim::NetworkBackend::kUnaware;
  if (may_have_two_links)
    if (const auto ranks_of_node = astra_sim::ranks_of_node(job_))
      astra_sim::tell_nodes_apart(*ranks_of_node, plain.network);
  plain.system.dataset_splits = options_.rewrite.dataset_splits;
  plain.system.memory_gb_per_s = options_.rewrite.device.memory_gb_per_s;
  return astra_sim::choose_network(astra_sim::collective_use(job_), std::move(plain), diagnostics_);
}

}  // namespace nadi
