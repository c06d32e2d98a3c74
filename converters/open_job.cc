#include "nadi/converters/open_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "nadi/base/error.h"
#include "nadi/converters/graph_tables.h"
#include "nadi/sim_bridge/replay/measured.h"

namespace nadi {

namespace {

/// "There are 0, 1, …"
template <class Number>
std::string there_are(std::span<const Number> numbers) {
  constexpr std::size_t kMostTold = 20;
  if (numbers.empty()) return "There are none";
  return fmt::format("There are {}{}",
                     fmt::join(numbers.first(std::min(kMostTold, numbers.size())), ", "),
                     numbers.size() > kMostTold ? ", …" : "");
}

/// True where the word is the first of two.
bool is_first(const char* name, const std::string& word, const char* first, const char* second) {
  if (word != first && word != second)
    throw Error(ErrorCode::kUsage, fmt::format("`{}={}`", name, word), "is none",
                fmt::format("There are {}, {}", first, second));
  return word == first;
}

ReplayLanes lanes_of(const ReplayWords& words) {
  const bool with_lanes = is_first("lanes", words.lanes, "all", "none"),
             with_host_lanes = is_first("host_lanes", words.host_lanes, "all", "1");
  if (!with_lanes && !with_host_lanes)
    throw Error(ErrorCode::kUsage, "`lanes=none` and `host_lanes=1`", "contradict each other",
                "Leave one out");
  return !with_lanes       ? ReplayLanes::kNone
         : with_host_lanes ? ReplayLanes::kAll
                           : ReplayLanes::kOneHost;
}

std::shared_ptr<RunTimes> run_of(const ReplayJob& job, ReplayTimes times) {
  const Ns length_ns = span_of(job, times).length();
  return std::make_shared<RunTimes>(RunTimes{std::move(times), length_ns});
}

/// The graphs without their guesses, while it lives.
class WithoutInferred {
 public:
  explicit WithoutInferred(std::vector<Graph>& graphs) : edges_(graphs) { edges_.toggle(); }
  ~WithoutInferred() { edges_.toggle(); }
  WithoutInferred(const WithoutInferred&) = delete;
  WithoutInferred& operator=(const WithoutInferred&) = delete;

 private:
  InferredEdges edges_;
};

}  // namespace

ColumnTable SharedGraph::nodes() const { return node_table(graph); }
ColumnTable SharedGraph::communications() const { return communication_table(*graph); }
ColumnTable SharedGraph::lanes() const { return lane_table(*graph); }

ColumnTable SharedGraph::edges() const {
  std::unique_lock<std::mutex> lock;
  if (edges_mutex != nullptr) lock = std::unique_lock(*edges_mutex);
  return edge_table(*graph);
}

std::shared_ptr<OpenJob> OpenJob::load(const std::vector<std::string>& inputs,
                                       const ConvertOptions& convert) {
  std::shared_ptr<OpenJob> job(new OpenJob());
  Diagnostics found;
  job->graphs_ = load_job(inputs, {.shapes = true, .parents = true}, convert, found).graphs;
  if (job->graphs_.size() == 1)  // else they are named
    job->diagnostics_.merge_of(job->graphs_.front().name, found);
  else
    job->diagnostics_.merge(found);
  sort_by_rank(job->graphs_);
  job->job_ = make_replay_job(job->graphs_, job->diagnostics_);
  return job;
}

std::size_t OpenJob::position_of(std::int64_t rank) const {
  const auto at = std::find(job_.rank.begin(), job_.rank.end(), rank);
  if (at == job_.rank.end())
    throw Error(ErrorCode::kUsage, "rank " + std::to_string(rank), "is none of the job's",
                there_are(std::span(job_.rank)));
  return static_cast<std::size_t>(at - job_.rank.begin());
}

void OpenJob::require_steps(const StepRange& steps) const {
  const std::set<std::int32_t> known = steps_of(graphs_);
  if (std::any_of(known.begin(), known.end(), [&](auto step) { return steps.holds(step); })) return;
  const std::vector<std::int32_t> there(known.begin(), known.end());
  throw Error(ErrorCode::kUsage,
              steps.first == steps.last ? fmt::format("step {}", steps.first)
                                        : fmt::format("steps {}-{}", steps.first, steps.last),
              "is none of the job's", there_are(std::span(there)));
}

SharedGraph OpenJob::graph(std::int64_t rank) const {
  return {{shared_from_this(), &graphs_[position_of(rank)]}, &mutex_};
}

std::shared_ptr<RunTimes> OpenJob::measured() const {
  if (!job_.is_measured)
    throw Error(ErrorCode::kInput, graphs_.front().name,
                "does not tell when its nodes started: nothing was measured", "Replay it");
  const std::lock_guard lock(mutex_);
  return run_of(job_, measured_times(job_));
}

std::shared_ptr<RunTimes> OpenJob::replay(const ReplayWords& words) {
  const bool with_inferred = is_first("inferred", words.inferred, "with", "without");
  ReplayOptions options{lanes_of(words), {}};
  for (const std::string& scale : words.scales) options.scales.push_back(parse_scale(scale));
  require_scaled_nodes(graphs_, options.scales);
  const std::lock_guard lock(mutex_);
  std::optional<WithoutInferred> without;
  if (!with_inferred) without.emplace(graphs_);
  return run_of(job_, nadi::replay(job_, options));
}

std::shared_ptr<Profile> OpenJob::profile(const std::optional<StepRange>& steps) const {
  const std::lock_guard lock(mutex_);
  return std::make_shared<Profile>(profile_job(job_, measured_times(job_), diagnostics_, steps));
}

ColumnTable OpenJob::times(std::int64_t rank, const std::shared_ptr<RunTimes>& run) const {
  const std::size_t of = position_of(rank);
  const std::size_t first = job_.first_node[of], count = job_.first_node[of + 1] - first;
  const auto part = [&](const std::vector<Ns>& times) {
    return std::span(times).subspan(first, count);
  };
  return {{{"start_ns", part(run->times.start_ns)}, {"end_ns", part(run->times.end_ns)}}, {run}};
}

std::shared_ptr<NamedPath> OpenJob::path(const RunTimes& run,
                                         const std::optional<StepRange>& steps) const {
  if (steps) require_steps(*steps);
  const std::lock_guard lock(mutex_);
  return std::make_shared<NamedPath>(named_path(job_, run.times, steps));
}

}  // namespace nadi
