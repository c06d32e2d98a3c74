#include "nadi/converters/profile/profile.h"

#include <algorithm>
#include <utility>

#include "nadi/base/error.h"
#include "nadi/converters/archive/memory_limit.h"
#include "nadi/converters/convert.h"
#include "nadi/converters/load_graph.h"
#include "nadi/converters/profile/collective_times.h"
#include "nadi/converters/profile/path_times.h"
#include "nadi/converters/profile/profile_findings.h"
#include "nadi/converters/profile/step_times.h"
#include "nadi/sim_bridge/replay/measured.h"

namespace nadi {

namespace {

void require_times(const ReplayJob& job) {
  if (job.is_measured) return;
  const auto untimed = std::find_if(job.graphs.begin(), job.graphs.end(),
                                    [](const Graph& graph) { return !graph.tells_starts; });
  throw Error(ErrorCode::kInput, untimed->name, "does not tell when its nodes started",
              "Profile the traces, or graphs that nadi or MLCommons' converter made of them");
}

/// All graphs are held until the end, for the critical path goes through all ranks.
void require_room(const std::vector<Graph>& graphs) {
  constexpr std::uint64_t kBytesPerNode = 200;
  std::uint64_t nodes = 0;
  for (const Graph& graph : graphs) nodes += graph.size();
  if (graphs.empty() || nodes * kBytesPerNode < memory_limit()) return;
  throw Error(ErrorCode::kInput, graphs.back().name,
              "with the ranks before it has " + std::to_string(nodes) +
                  " nodes, for which the memory that this process may use is too small",
              "Profile fewer ranks, or graphs of fewer steps (nadi convert `steps`)");
}

void add_ranks(const ReplayJob& job, Profile& profile) {
  for (std::size_t of = 0; of < job.graphs.size(); ++of) {
    const Graph& graph = job.graphs[of];
    ProfiledRank rank{job.rank[of], graph.name, graph.size(), 0};
    for (std::size_t row = 0; row < graph.size(); ++row)
      if (graph.is_device(row) && graph.kind[row] != NodeKind::kDelay) ++rank.device_rows;
    profile.ranks.push_back(std::move(rank));
  }
}

}  // namespace

Profile profile_graphs(std::vector<Graph> graphs, Diagnostics& diagnostics) {
  sort_by_rank(graphs);
  const ReplayJob job = make_replay_job(graphs, diagnostics);
  require_times(job);
  Profile profile;
  profile.clock = job.clock_source;
  add_ranks(job, profile);
  HotSpotSums spots;
  const auto append = [](auto& to, auto&& from) { to.insert(to.end(), from.begin(), from.end()); };
  for (std::size_t of = 0; of < job.graphs.size(); ++of) {
    const RankTimes times = measure_rank(job, of);
    append(profile.devices, times.devices);
    append(profile.steps, times.steps);
    append(profile.idle, times.idle);
    spots.add(job.graphs[of]);
  }
  std::stable_sort(profile.idle.begin(), profile.idle.end(),
                   [](const IdleShare& a, const IdleShare& b) { return a.ns > b.ns; });
  profile.spots = spots.take();
  profile.collectives = find_collectives(job);
  profile.waiting = sum_waiting(profile.collectives);
  profile.path = sum_critical_path(job, measured_times(job));
  profile.diagnostics = diagnostics.table();
  profile.findings = find_what_looks_wrong(job, profile);
  return profile;
}

Profile profile(const ProfileOptions& options) {
  const GraphColumns columns{.shapes = true, .parents = true};
  Diagnostics diagnostics;
  std::vector<Graph> graphs;
  const std::vector<JobInput> inputs = find_job_inputs(options.inputs, diagnostics);
  for (const JobInput& input : inputs) {
    require_room(graphs);
    if (!input.graph.empty()) {
      graphs.push_back(load_graph(input.graph, columns));
      continue;
    }
    ConvertOptions convert;
    convert.traces = input.traces;
    convert.link.rank = input.rank;
    convert.progress = options.progress;
    convert.on_stage = options.on_stage;
    for (ConvertedGraph& converted : convert_in_memory(convert, columns)) {
      for (Diagnostic found : converted.report.diagnostics) {
        if (inputs.size() > 1)
          for (std::string& place : found.first) place.insert(0, input.traces.name() + ": ");
        diagnostics.add(found);
      }
      converted.graph.name = input.traces.name();
      graphs.push_back(std::move(converted.graph));
    }
  }
  if (options.on_stage) options.on_stage("profiling");
  return profile_graphs(std::move(graphs), diagnostics);
}

}  // namespace nadi
