#include "nadi/converters/python/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "nadi/base/error.h"
#include "nadi/converters/load_job.h"
#include "nadi/converters/profile/path_names.h"
#include "nadi/converters/profile/write_profile.h"
#include "nadi/converters/python/calls.h"
#include "nadi/sim_bridge/replay/measured.h"

namespace nadi::python {

std::shared_ptr<Job> Job::load(const std::vector<std::string>& inputs,
                               const std::optional<StepRange>& steps, CallProgress& progress) {
  ConvertOptions convert;
  convert.graph.steps = steps;
  convert.progress = progress.reading();
  convert.on_stage = progress.stages();
  std::shared_ptr<Job> job(new Job());
  job->graphs_ = load_job(inputs, {.shapes = true, .parents = true}, convert, job->diagnostics_);
  sort_by_rank(job->graphs_);
  job->job_ = make_replay_job(job->graphs_, job->diagnostics_);
  return job;
}

std::size_t Job::place_of(std::int64_t rank) const {
  const auto at = std::find(job_.rank.begin(), job_.rank.end(), rank);
  constexpr std::size_t kMostTold = 20;
  if (at == job_.rank.end())
    throw Error(
        ErrorCode::kUsage, "rank " + std::to_string(rank), "is none of the job's",
        fmt::format(
            "There are {}{}",
            fmt::join(std::span(job_.rank).first(std::min(kMostTold, job_.rank.size())), ", "),
            job_.rank.size() > kMostTold ? ", …" : ""));
  return static_cast<std::size_t>(at - job_.rank.begin());
}

std::vector<std::int64_t> Job::steps() const {
  const auto steps = steps_of(graphs_);
  return {steps.begin(), steps.end()};
}

GraphView Job::graph(std::int64_t rank) const {
  return GraphView({shared_from_this(), &graphs_[place_of(rank)]});
}

std::shared_ptr<JobRun> Job::measured() const {
  if (!job_.is_measured)
    throw Error(ErrorCode::kInput, graphs_.front().name,
                "does not tell when its nodes started: nothing was measured", "Replay it");
  const std::lock_guard lock(mutex_);
  JobRun run{measured_times(job_), 0};
  run.length_ns = span_of(job_, run.times).length();
  return std::make_shared<JobRun>(std::move(run));
}

std::shared_ptr<JobRun> Job::replay(const std::vector<std::string>& scales, ReplayLanes lanes,
                                    bool with_inferred) {
  ReplayOptions options{lanes, {}};
  for (const std::string& scale : scales) options.scales.push_back(parse_scale(scale));
  require_scaled_nodes(graphs_, options.scales);
  const std::lock_guard lock(mutex_);
  InferredEdges inferred(graphs_);
  if (!with_inferred) inferred.toggle();
  JobRun run;
  try {
    run.times = nadi::replay(job_, options);
  } catch (...) {
    if (!with_inferred) inferred.toggle();
    throw;
  }
  if (!with_inferred) inferred.toggle();
  run.length_ns = span_of(job_, run.times).length();
  return std::make_shared<JobRun>(std::move(run));
}

std::string Job::profile_json(const Roofline& roofline,
                              const std::optional<StepRange>& steps) const {
  const std::lock_guard lock(mutex_);
  return nadi::profile_json(profile_job(job_, measured_times(job_), diagnostics_, steps), roofline);
}

py::dict Job::times(std::int64_t rank, const std::shared_ptr<JobRun>& run) const {
  const std::size_t of = place_of(rank);
  const std::size_t first = job_.first_node[of], count = job_.first_node[of + 1] - first;
  Columns columns(py::cast(run));
  columns.look("start_ns", run->times.start_ns.data() + first, count);
  columns.look("end_ns", run->times.end_ns.data() + first, count);
  return columns.dict();
}

py::dict Job::path(const JobRun& run) const {
  const std::vector<PathPiece> pieces = [&] {
    const py::gil_scoped_release unlocked;
    const std::lock_guard lock(mutex_);
    return critical_path(job_, run.times);
  }();
  PathNames names(job_, run.times);
  std::map<std::string, std::uint32_t> code_of;
  py::list texts;
  std::vector<std::int64_t> ranks, rows, begins, durations, steps;
  std::vector<std::uint32_t> codes;
  std::vector<std::uint8_t> kinds;
  for (const PathPiece& piece : pieces) {
    const PathName named = names.of(piece);
    const std::uint32_t row = job_.row(piece.node);
    const auto next_code = static_cast<std::uint32_t>(code_of.size());
    const auto [code, is_new] = code_of.try_emplace(named.name, next_code);
    if (is_new) texts.append(text_of(named.name));
    ranks.push_back(job_.rank[job_.graph_index(piece.node)]);
    rows.push_back(row);
    begins.push_back(piece.begin_ns);
    durations.push_back(piece.end_ns - piece.begin_ns);
    steps.push_back(job_.graph(piece.node).step[row]);
    kinds.push_back(static_cast<std::uint8_t>(named.kind));
    codes.push_back(code->second);
  }
  Columns columns;
  columns.take("rank", std::move(ranks));
  columns.take("node", std::move(rows));
  columns.take("step", std::move(steps));
  columns.take("begin_ns", std::move(begins));
  columns.take("duration_ns", std::move(durations));
  columns.take_codes("kind", std::move(kinds), names_of<PathKind>(kPathKindCount));
  columns.take_codes("name", std::move(codes), texts);
  return columns.dict();
}

}  // namespace nadi::python
