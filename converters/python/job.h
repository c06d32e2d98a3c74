// A job as Python sees it: its ranks' graphs, profile, critical path, and replays.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "nadi/converters/inferred_edges.h"
#include "nadi/converters/profile/profile.h"
#include "nadi/converters/python/columns.h"
#include "nadi/converters/python/graph_columns.h"

namespace nadi::python {

class CallProgress;

/// A run of a job: measured, or replayed.
struct JobRun {
  ReplayTimes times;
  Ns length_ns = 0;  ///< from the first node to the last, delays not counted
};

/// The graphs stay where they are for as long as anything looks into them.
class Job : public std::enable_shared_from_this<Job> {
 public:
  /// As nadi::profile does. Throws what load_job throws.
  static std::shared_ptr<Job> load(const std::vector<std::string>& inputs,
                                   const std::optional<StepRange>& steps, CallProgress& progress);

  std::vector<std::int64_t> ranks() const { return job_.rank; }
  /// Of all ranks, ascending.
  std::vector<std::int64_t> steps() const;
  GraphView graph(std::int64_t rank) const;
  /// The job as recorded. Throws Error(kInput) where the graphs do not tell when nodes started.
  std::shared_ptr<JobRun> measured() const;
  /// lanes: of ReplayOptions; scales: parse_scale()'s texts.
  std::shared_ptr<JobRun> replay(const std::vector<std::string>& scales, ReplayLanes lanes,
                                 bool with_inferred);
  /// profile_json() of a profile, of chosen steps or all; what these throw, too.
  std::string profile_json(const Roofline& roofline, const std::optional<StepRange>& steps) const;
  /// Of loading and matching.
  const Diagnostics& diagnostics() const { return diagnostics_; }

  /// A row per node of the rank: `start_ns`, `end_ns`, in the job's clock.
  py::dict times(std::int64_t rank, const std::shared_ptr<JobRun>& run) const;
  /// A row per stretch of the critical path.
  py::dict path(const JobRun& run) const;

 private:
  Job() = default;
  std::size_t place_of(std::int64_t rank) const;

  std::vector<Graph> graphs_;
  ReplayJob job_;  // of the graphs
  Diagnostics diagnostics_;
  mutable std::mutex mutex_;  // of edges that are taken out
};

}  // namespace nadi::python
