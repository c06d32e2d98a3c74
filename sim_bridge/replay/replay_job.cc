#include "nadi/sim_bridge/replay/replay_job.h"

#include <algorithm>
#include <map>
#include <optional>

#include "nadi/base/error.h"
#include "nadi/chakra/rank_name.h"
#include "nadi/sim_bridge/replay/clocks.h"
#include "nadi/sim_bridge/replay/comm_instances.h"
#include "nadi/sim_bridge/replay/what_if.h"

namespace nadi {

namespace {

/// position: among the graphs given.
std::int64_t rank_of(const Graph& graph, std::size_t position) {
  if (graph.rank) return *graph.rank;
  const std::optional<RankName> named = rank_name_of_graph(graph.name);
  return named ? named->rank : static_cast<std::int64_t>(position);
}

void number_ranks(ReplayJob& job) {
  std::map<std::int64_t, std::size_t> graph_of_rank;
  for (std::size_t i = 0; i < job.graphs.size(); ++i) {
    const Graph& graph = job.graphs[i];
    job.rank.push_back(rank_of(graph, i));
    const auto [other, is_new] = graph_of_rank.try_emplace(job.rank.back(), i);
    if (!is_new)
      throw Error(ErrorCode::kInput, graph.name,
                  "is of rank " + std::to_string(job.rank.back()) + ", as " +
                      job.graphs[other->second].name + " is",
                  "Pass one graph per rank of one job");
  }
}

void number_nodes_of_job(ReplayJob& job) {
  std::uint64_t nodes = 0;
  for (const Graph& graph : job.graphs) {
    job.first_node.push_back(static_cast<std::uint32_t>(nodes));
    nodes += graph.size();
    if (nodes >= kNoIndex)
      throw Error(ErrorCode::kInput, graph.name, "more than 4,294,967,294 nodes in all",
                  "Replay fewer ranks or steps");
  }
  job.first_node.push_back(static_cast<std::uint32_t>(nodes));
  if (job.graphs.size() < 2) return;
  job.graph_of.reserve(nodes);
  for (std::size_t i = 0; i < job.graphs.size(); ++i)
    job.graph_of.resize(job.first_node[i + 1], static_cast<std::uint32_t>(i));
}

/// Times from strangers' files: sums of them must stay far from overflow.
void require_sane_times(const Graph& graph) {
  constexpr Ns kLatest = Ns{1} << 61, kLongest = Ns{1} << 60;  // 73 and 36 years
  Ns sum = 0;
  for (std::size_t row = 0; row < graph.size(); ++row) {
    const Ns start = graph.start_ns[row], duration = graph.duration_ns[row];
    if (start < -kLatest || start > kLatest || duration > kLongest - sum)
      throw Error(ErrorCode::kInput, graph.name,
                  "node " + std::to_string(graph.id[row]) + " starts at " + std::to_string(start) +
                      " ns and takes " + std::to_string(duration) + " ns: these are no times",
                  "Convert the traces again");
    sum += duration;
  }
}

}  // namespace

Ns ReplayJob::start_ns(std::uint32_t node) const {
  const std::size_t of = graph_index(node);
  return clocks[of].job_ns(graphs[of].start_ns[node - first_node[of]]);
}

Ns ReplayJob::end_ns(std::uint32_t node) const {
  const std::size_t of = graph_index(node);
  return clocks[of].job_ns(graphs[of].end_ns(node - first_node[of]));
}

Ns ReplayJob::start_ns(const CommKernel& kernel) const {
  return kernel.latest([&](std::uint32_t node) { return start_ns(node); });
}

Ns ReplayJob::end_ns(const CommKernel& kernel) const {
  return kernel.latest([&](std::uint32_t node) { return end_ns(node); });
}

std::string ReplayJob::text(std::uint32_t node) const {
  const Graph& of = graph(node);
  return of.name + ", node " + std::to_string(of.id[row(node)]) + " (" +
         std::string(of.name_of(row(node))) + ")";
}

void sort_by_rank(std::vector<Graph>& graphs) {
  for (std::size_t i = 0; i < graphs.size(); ++i) graphs[i].rank = rank_of(graphs[i], i);
  std::stable_sort(graphs.begin(), graphs.end(),
                   [](const Graph& a, const Graph& b) { return *a.rank < *b.rank; });
}

ReplayJob make_replay_job(std::span<const Graph> graphs, Diagnostics& diagnostics) {
  ReplayJob job;
  job.graphs = graphs;
  if (graphs.empty())
    throw Error(ErrorCode::kUsage, "replay", "no graph is given", "Pass one graph per rank");
  for (const Graph& graph : graphs) require_sane_times(graph);
  number_ranks(job);
  number_nodes_of_job(job);
  job.clocks.resize(graphs.size());
  job.is_measured = std::all_of(graphs.begin(), graphs.end(),
                                [](const Graph& graph) { return graph.tells_starts; });
  job.what_if = what_if_of(graphs);
  if (auto recorded = recorded_clocks(base_times(graphs)); recorded && job.is_measured)
    job.clocks = std::move(*recorded);
  if (graphs.size() < 2) return job;
  find_comm_instances(job, diagnostics);
  align_clocks(job, diagnostics);
  find_waits(job);
  return job;
}

}  // namespace nadi
