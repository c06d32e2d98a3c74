// A job for ASTRA-sim that is made of recorded graphs, whether it is written or only run.
#pragma once

#include <cstdint>
#include <optional>

#include "nadi/converters/archive/convert_ranks.h"
#include "nadi/emit/atomic_file.h"
#include "nadi/sim_bridge/astra_sim/check.h"
#include "nadi/sim_bridge/astra_sim/rewrite.h"
#include "nadi/sim_bridge/job/job.h"

namespace nadi {

/// Makes ranks coarse, and says where their nodes went.
class RankCoarsener {
 public:
  explicit RankCoarsener(const ConvertRanksOptions& options);

  void coarsen(std::size_t rank, const Graph& graph, JobRank& whole);

  /// Nodes before they were made coarse; 0 = they were not.
  std::uint64_t fine_nodes() const { return fine_nodes_; }

  /// Puts the file of `coarsen_map` in place.
  void commit();

 private:
  const std::optional<Ns> off_ns_;
  std::uint64_t fine_nodes_ = 0;
  std::optional<AtomicFile> map_;
};

/// True where proxy ranks replay the measured communication, and no network is simulated.
bool is_replayed(const astra_sim::RewrittenJob& job);

/// Throws Error(kInput) where the job of all copies has more groups than ASTRA-sim keeps apart.
class SimulatedJob {
 public:
  SimulatedJob(Job job, const ConvertRanksOptions& options, Diagnostics& diagnostics);

  const ConvertRanksOptions& options() const { return options_; }
  const JobCopies& copies() const { return copies_; }
  const Job& recorded() const { return job_; }
  /// Its ranks and groups, with those of all copies.
  const Job& larger() const { return larger_; }

  /// Rewrites the ranks and makes them coarse; take gets each.
  astra_sim::RewrittenJob rewrite(ConvertRanksReport& report, const TakeRank& take);

  /// The number of its ranks, with proxy and side ranks.
  std::int64_t ranks(const astra_sim::RewrittenJob& rewritten) const;

  astra_sim::RunOptions run_options(const astra_sim::RewrittenJob& rewritten) const;

  /// Puts the file of `coarsen_map` in place.
  void commit_map() { coarsener_.commit(); }

  /// Gives back the memory of its ranks and groups. Afterwards only options(), copies() and
  /// commit_map() have a meaning.
  void forget();

 private:
  astra_sim::JobNetwork network(const astra_sim::RewrittenJob& rewritten) const;

  ConvertRanksOptions options_;
  Diagnostics& diagnostics_;
  RankCoarsener coarsener_;
  Job job_;
  const JobCopies copies_;
  Job larger_;
};

}  // namespace nadi
