#include "nadi/converters/profile/profile.h"

#include <algorithm>
#include <utility>

#include "nadi/base/error.h"
#include "nadi/converters/load_job.h"
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
  sum_critical_path(job, measured_times(job), profile);
  profile.diagnostics = diagnostics.table();
  profile.findings = find_what_looks_wrong(job, profile);
  return profile;
}

Profile profile(const ProfileOptions& options) {
  ConvertOptions convert;
  convert.graph.steps = options.steps;
  convert.progress = options.progress;
  convert.on_stage = options.on_stage;
  Diagnostics diagnostics;
  std::vector<Graph> graphs =
      load_job(options.inputs, {.shapes = true, .parents = true}, convert, diagnostics);
  if (options.on_stage) options.on_stage("profiling");
  return profile_graphs(std::move(graphs), diagnostics);
}

}  // namespace nadi
