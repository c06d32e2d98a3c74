// A job that is loaded once and asked often, from any threads: its ranks' graphs, profile, critical
// path, and replays.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "nadi/converters/inferred_edges.h"
#include "nadi/converters/load_job.h"
#include "nadi/converters/profile/named_path.h"
#include "nadi/converters/profile/profile.h"
#include "nadi/emit/column_table.h"

namespace nadi {

/// A run of a job: measured, or replayed.
struct RunTimes {
  ReplayTimes times;
  Ns length_ns = 0;  ///< from the first node to the last, delays not counted
};

/// What a replay is asked for, in the words of `nadi replay`.
struct ReplayWords {
  std::vector<std::string> scales = {};  ///< parse_scale()'s texts
  std::string lanes = "all";             ///< or "none"
  std::string host_lanes = "all";        ///< or "1"
  std::string inferred = "with";         ///< or "without"
};

/// A graph, and what is locked while its edges are looked at; null = they stay as they are. The
/// graph keeps its job.
struct SharedGraph {
  std::shared_ptr<const Graph> graph;
  std::mutex* edges_mutex = nullptr;

  /// The tables of graph_tables.h.
  ColumnTable nodes() const;
  ColumnTable edges() const;
  ColumnTable communications() const;
  ColumnTable lanes() const;
};

/// The graphs stay where they are for as long as anything looks into them.
class OpenJob : public std::enable_shared_from_this<OpenJob> {
 public:
  /// Loads the ranks as nadi::profile does; convert: as load_job takes it. Throws what load_job and
  /// make_replay_job throw.
  static std::shared_ptr<OpenJob> load(const std::vector<std::string>& inputs,
                                       const ConvertOptions& convert);

  std::vector<std::int64_t> ranks() const { return job_.rank; }
  /// This, and what else takes a rank, throws Error(kUsage) of one that is none of the job's.
  SharedGraph graph(std::int64_t rank) const;
  /// The job as recorded. Throws Error(kInput) where the graphs do not say when nodes started.
  std::shared_ptr<RunTimes> measured() const;
  /// Throws Error(kUsage) of words that are none, or that contradict each other.
  std::shared_ptr<RunTimes> replay(const ReplayWords& words);
  /// profile_job() of chosen steps or all; what it throws, too.
  std::shared_ptr<Profile> profile(const std::optional<StepRange>& steps) const;
  /// Of loading and matching.
  const Diagnostics& diagnostics() const { return diagnostics_; }

  /// A row per node of the rank: `start_ns`, `end_ns`, in the job's clock.
  ColumnTable times(std::int64_t rank, const std::shared_ptr<RunTimes>& run) const;
  /// Throws Error(kUsage) where none of the chosen steps is the job's.
  std::shared_ptr<NamedPath> path(const RunTimes& run, const std::optional<StepRange>& steps) const;

 private:
  OpenJob() = default;
  std::size_t position_of(std::int64_t rank) const;
  void require_steps(const StepRange& steps) const;

  std::vector<Graph> graphs_;
  ReplayJob job_;  // of the graphs
  Diagnostics diagnostics_;
  mutable std::mutex mutex_;  // of edges that are taken out
};

}  // namespace nadi
