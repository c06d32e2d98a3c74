#include "nadi/converters/profile/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "nadi/base/error.h"
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

/// Ranks of one job run at the same time.
void require_one_job(const Diagnostics& diagnostics) {
  for (const Diagnostic& found : diagnostics.table())
    if (found.kind == Finding::kRanksApart)
      throw Error(ErrorCode::kInput, "the ranks", "are not of one job: " + found.first.front(),
                  "Profile each job by itself");
}

void add_ranks(const ReplayJob& job, std::optional<StepRange> steps, Profile& profile) {
  for (std::size_t of = 0; of < job.graphs.size(); ++of) {
    const Graph& graph = job.graphs[of];
    ProfiledRank rank{job.rank[of], graph.name, 0, 0, job.clocks[of]};
    for (std::size_t row = 0; row < graph.size(); ++row) {
      if (steps && !steps->holds(graph.step[row])) continue;
      ++rank.nodes;
      if (graph.is_device(row) && graph.kind[row] != NodeKind::kDelay) ++rank.device_rows;
    }
    profile.ranks.push_back(std::move(rank));
  }
}

void require_steps(const ReplayJob& job, StepRange steps) {
  const std::set<std::int32_t> known = steps_of(job.graphs);
  if (std::any_of(known.begin(), known.end(), [&](std::int32_t step) { return steps.holds(step); }))
    return;
  throw Error(ErrorCode::kUsage, "`steps`",
              fmt::format("no work in the steps {} to {}", steps.first, steps.last),
              known.empty()
                  ? "No work is of a step; leave `steps` out"
                  : fmt::format("There are the steps {} to {}", *known.begin(), *known.rbegin()));
}

ProfiledJob profile_loaded(LoadedJob loaded, std::optional<StepRange> steps,
                           Diagnostics& diagnostics) {
  ProfiledJob made{std::move(loaded.graphs), std::move(loaded.inputs), {}, {}, {},
                   loaded.lacks_ranks};
  sort_by_rank(made.graphs);
  made.job = make_replay_job(made.graphs, diagnostics);
  made.measured = measured_times(made.job);
  made.profile = profile_job(made.job, made.measured, diagnostics, steps);
  return made;
}

}  // namespace

std::set<std::int32_t> steps_of(std::span<const Graph> graphs) {
  std::set<std::int32_t> steps;
  for (const Graph& graph : graphs) steps.insert(graph.step.begin(), graph.step.end());
  steps.erase(-1);  // of no step
  return steps;
}

Profile profile_job(const ReplayJob& job, const ReplayTimes& measured,
                    const Diagnostics& diagnostics, std::optional<StepRange> steps) {
  require_times(job);
  require_one_job(diagnostics);
  if (steps) require_steps(job, *steps);
  Profile profile;
  profile.clock = job.clock_source;
  profile.what_if = job.what_if;
  add_ranks(job, steps, profile);
  HotSpotSums spots(steps);
  const auto append = [](auto& to, auto&& from) { to.insert(to.end(), from.begin(), from.end()); };
  for (std::size_t of = 0; of < job.graphs.size(); ++of) {
    const RankTimes times = measure_rank(job, of, steps);
    append(profile.devices, times.devices);
    append(profile.steps, times.steps);
    append(profile.idle, times.idle);
    spots.add(job.graphs[of]);
  }
  std::stable_sort(profile.idle.begin(), profile.idle.end(),
                   [](const IdleShare& a, const IdleShare& b) { return a.ns > b.ns; });
  profile.spots = spots.take();
  profile.collectives = find_collectives(job, steps);
  profile.waiting = sum_waiting(profile.collectives);
  sum_critical_path(job, measured, steps, profile);
  profile.diagnostics = diagnostics.table();
  profile.findings = find_what_looks_wrong(job, steps, profile);
  return profile;
}

Profile profile_graphs(std::vector<Graph> graphs, Diagnostics& diagnostics) {
  return profile_loaded({std::move(graphs), {}}, {}, diagnostics).profile;
}

ProfiledJob profile(const ProfileOptions& options) {
  ConvertOptions convert;
  convert.progress = options.progress;
  convert.on_stage = options.on_stage;
  Diagnostics diagnostics;
  LoadedJob loaded = load_job(options.inputs, {.shapes = true, .parents = true}, convert,
                              diagnostics, options.window);
  if (options.on_stage) options.on_stage("profiling");
  return profile_loaded(std::move(loaded), options.steps, diagnostics);
}

}  // namespace nadi
