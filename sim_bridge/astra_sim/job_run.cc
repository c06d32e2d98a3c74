#include "nadi/sim_bridge/astra_sim/job_run.h"

#include <utility>

namespace nadi::astra_sim {
namespace {

constexpr std::size_t kManyReady = 5000;

/// With what its run takes.
std::uint64_t bytes_of(const IssueRank& rank) {
  constexpr std::uint64_t kBytesOfRun = 2 * sizeof(std::uint32_t) + 1;  // counts and marks
  const Graph& graph = rank.graph;
  std::uint64_t bytes = graph.size() * kBytesOfRun;
  for_each_column(static_cast<const GraphNodes&>(graph),
                  [&](const auto& column) { bytes += column.size() * sizeof(column[0]); });
  return bytes + rank.dependents.node.size() * sizeof(std::uint32_t) +
         graph.communications.size() * sizeof(IssueCommunication) + graph.strings.memory_bytes();
}

}  // namespace

void JobRun::add(std::size_t rank, IssueRank of_rank) {
  count_ = rank + 1;
  bytes_kept_ += bytes_of(of_rank);
  if (result_.is_run && memory_ != 0 && bytes_kept_ > memory_) {
    result_.is_run = false;
    for (std::size_t r = 0; r < ranks_.size(); ++r) proof_.add(r, ranks_[r]);
    ranks_.clear();
  }
  if (!result_.is_run) return proof_.add(rank, of_rank);
  ranks_.resize(count_);
  ranks_[rank] = std::move(of_rank);
}

RunResult JobRun::finish(const RunOptions& options, const GroupMembers& groups,
                         CheckFindingList& findings) && {
  if (result_.is_run)
    run(options, groups, findings);
  else
    prove(options, groups);
  return std::move(result_);
}

void JobRun::prove(const RunOptions& options, GroupMembers groups) {
  // A cycle among copies would be one among those that they are copies of.
  if (options.job_ranks > 0)
    for (auto& [number, members] : groups)
      std::erase_if(members, [&](std::int64_t rank) { return !std::cmp_less(rank, count_); });
  if (auto gap = proof_.gap(std::move(groups), count_)) result_.unproven = std::move(*gap);
  result_.all_read_ran = result_.unproven.empty();
}

void JobRun::run(const RunOptions& options, const GroupMembers& groups,
                 CheckFindingList& findings) {
  const IssueResult issued = simulate_issue(ranks_, groups, {}, {}, options.job_ranks);
  result_.makespan_ns = issued.makespan_ns;
  result_.most_ready = issued.most_ready;
  result_.all_read_ran = issued.stuck.empty();
  for (const std::string& mismatch : issued.mismatches)
    findings.add(CheckRule::kCollectivesDiffer, mismatch);
  for (const StuckRank& stuck : issued.stuck)
    findings.add(CheckRule::kNeverRuns,
                 place_of(stuck.rank, ranks_[stuck.rank], stuck.first) + " " + stuck.why + "; " +
                     std::to_string(stuck.nodes) + (stuck.nodes == 1 ? " node" : " nodes") +
                     " of the rank never " + (stuck.nodes == 1 ? "runs" : "run"));
  if (issued.most_ready > kManyReady)
    findings.add(CheckRule::kManyReady, "rank " + std::to_string(issued.most_ready_rank) + ": " +
                                            std::to_string(issued.most_ready) + " nodes");
  if (options.network) run_on(*options.network, options, groups);
  if (options.runs_without_communication && result_.all_read_ran)
    result_.free_makespan_ns = makespan_without_communication(ranks_, groups, options.job_ranks);
}

void JobRun::run_on(const JobNetwork& given, const RunOptions& options,
                    const GroupMembers& groups) {
  if (!result_.all_read_ran) {
    result_.network_unknown = "not all nodes run";
    return;
  }
  JobNetwork network = given;
  if (options.recorded_span_ns == 0)
    result_.fit.emplace().unfitted = "not all graphs say when their nodes started";
  else if (options.recorded_span_ns)
    result_.fit = fit_network(ranks_, groups, *options.recorded_span_ns, network);
  NetworkRun run = run_on_network(ranks_, groups, network, options.job_ranks);
  result_.network_makespan_ns = run.makespan_ns;
  result_.network_unknown = std::move(run.unknown);
  result_.network = std::move(network);
}

}  // namespace nadi::astra_sim
