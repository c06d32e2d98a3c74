// Makes a larger job of a recorded one: every rank runs as often as there are copies; groups that
// grow unite all copies of their members, the others are copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "nadi/sim_bridge/job/job.h"

namespace nadi {

/// Ranks that a grown job has at most.
inline constexpr std::int64_t kMostGrownRanks = 1 << 16;

struct GrowthOptions {
  /// Names or descriptions of the groups that grow, beside the default group of all ranks; empty =
  /// data-parallel ones.
  std::vector<std::string> groups;
  bool shares_optimizer = true;  ///< the optimizer's work on a shard shrinks as the shard does
};

/// What grow_job decided.
struct JobGrowth {
  std::int64_t recorded = 0, world = 0;    ///< ranks before and after
  std::vector<std::string> grown, copied;  ///< DESC, or "NAME" (DESC) of ranks R, each once
  std::size_t groups = 0;                  ///< of the larger job
  std::uint64_t smaller_shards = 0;        ///< all-gathers of the recorded ranks that shrank
};

/// Marks what grows when the job becomes one of `world` ranks, a multiple of its ranks, and gives
/// its communication the sizes of the larger job: all-gathers of a growing group get shards that
/// are smaller by the number of copies; the input of a reduce-scatter, and what a rank gives to any
/// other collective, stay as they were.
/// Without GrowthOptions::groups these grow: the default group of all ranks; and the groups whose
/// description has a word of data parallelism (data, dp, ddp, fsdp, hsdp, edp, zero, replicate,
/// shard), or, where no group is described so, those without description whose members communicate
/// alike and only all-reduce, reduce-scatter and all-gather. Throws Error(kInput), or Error(kUsage)
/// for what is asked for, that says what to do where `world` does not fit, no group grows, or two
/// groups of a rank would grow of which neither holds the other.
JobGrowth grow_job(Job& job, std::int64_t world, const GrowthOptions& options);

/// The ranks and groups of a job with all its copies: rank r of copy c is rank c * W + r, for W
/// recorded ranks.
class JobCopies {
 public:
  explicit JobCopies(const Job& job);

  std::size_t count() const { return copies_; }
  std::size_t rank_of(std::size_t rank, std::size_t copy) const { return copy * ranks_ + rank; }
  const std::vector<JobGroup>& groups() const { return groups_; }

  /// What a recorded rank communicates, with the groups and ranks of its copy.
  std::vector<JobCommunication> of_copy(const std::vector<JobCommunication>& recorded,
                                        std::size_t copy) const;

  /// The ranks and groups of the larger job, without nodes. Of graphs it has the names and
  /// ranks.
  Job outline(const Job& job) const;

 private:
  std::size_t ranks_, copies_;
  std::vector<std::uint32_t> first_;  // of each recorded group: into groups_
  std::vector<bool> grows_;           // by recorded group
  std::vector<JobGroup> groups_;
};

}  // namespace nadi
