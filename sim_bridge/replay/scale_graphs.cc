#include "nadi/sim_bridge/replay/scale_graphs.h"

#include <algorithm>

#include "nadi/sim_bridge/replay/critical_path.h"
#include "nadi/sim_bridge/replay/what_if.h"

namespace nadi {
namespace {

/// True of a node whose kernel's duration another of its nodes has.
bool is_timed_by_another(const ReplayJob& job, std::uint32_t node) {
  const std::uint32_t kernel = job.kernel_index(node);
  return kernel != kNoIndex && job.kernels[kernel].nodes.size() > 1 &&
         job.graph(node).duration_ns[job.row(node)] == 0;
}

void take_times(const ReplayJob& job, std::size_t of, const ReplayTimes& times,
                std::vector<Ns>& start_ns, std::vector<Ns>& duration_ns) {
  const std::uint32_t first = job.first_node[of], end = job.first_node[of + 1];
  start_ns.reserve(end - first);
  duration_ns.reserve(end - first);
  for (std::uint32_t node = first; node < end; ++node) {
    start_ns.push_back(times.start_ns[node] - job.clocks[of].shift_ns);
    duration_ns.push_back(
        is_timed_by_another(job, node) ? 0 : times.end_ns[node] - times.start_ns[node]);
  }
}

}  // namespace

ScaledRun scale_graphs(std::span<Graph> graphs, const ReplayOptions& options,
                       Diagnostics& diagnostics) {
  require_scaled_nodes(graphs, options.scales);
  ScaledRun run;
  for (const Scale& scale : options.scales) run.scales.push_back(scale.text);
  run.nodes = count_scaled(graphs, options.scales);
  std::vector<std::vector<Ns>> start_ns(graphs.size()), duration_ns(graphs.size());
  {
    const ReplayJob job = make_replay_job(graphs, diagnostics);
    run.replayed_ns = span_of(job, replay(job, {options.lanes, {}, {}})).length();
    const ReplayTimes times = replay(job, options);
    run.scaled_ns = span_of(job, times).length();
    for (std::size_t of = 0; of < graphs.size(); ++of)
      take_times(job, of, times, start_ns[of], duration_ns[of]);
  }
  for (std::size_t of = 0; of < graphs.size(); ++of) {
    Graph& graph = graphs[of];
    graph.start_ns = std::move(start_ns[of]);
    graph.duration_ns = std::move(duration_ns[of]);
    graph.tells_starts = true;
    std::fill(graph.inclusive_ns.begin(), graph.inclusive_ns.end(), 0);
    name_scales(run.scales, graph);
  }
  return run;
}

}  // namespace nadi
