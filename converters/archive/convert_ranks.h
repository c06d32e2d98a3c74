// Makes of the traces or graphs of several ranks plain graphs, or a job that a simulator runs as it
// is.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nadi/converters/archive/pair_ranks.h"
#include "nadi/converters/archive/scaled_graphs.h"
#include "nadi/converters/convert.h"
#include "nadi/sim_bridge/astra_sim/check.h"
#include "nadi/sim_bridge/astra_sim/network_choice.h"
#include "nadi/sim_bridge/astra_sim/rewrite.h"
#include "nadi/sim_bridge/astra_sim/write_files.h"
#include "nadi/sim_bridge/goal/write_goal.h"
#include "nadi/sim_bridge/job/grow_job.h"
#include "nadi/sim_bridge/job/make_job.h"

namespace nadi {

enum class Target : std::uint8_t {
  kChakra,    ///< one graph per rank, as `nadi convert` writes it
  kAstraSim,  ///< graphs, groups and configuration files ASTRA-sim runs
  kGoal,      ///< one GOAL schedule of the whole job
};
std::string_view to_string(Target target);  ///< "chakra", "astra-sim", "goal"
/// PREFIX.<rank>.et; else one file holds the whole job.
bool has_file_per_rank(Target target);

/// The delays of the graphs from which a job is made: for ASTRA-sim all, of which rewriting keeps
/// what its slots can hold; for others as wanted.
Delays delays_for(Target target, Delays wanted);

/// True where ranks are looked at together: for a simulator, to become a larger job, or to take
/// another time.
bool makes_job(Target target, const std::vector<std::int64_t>& worlds, const WhatIf& what_if);

struct ConvertRanksOptions {
  std::vector<RankTraces> ranks;
  ConvertOptions convert;  ///< of each rank; its traces and rank are those of `ranks`
  Target target = Target::kChakra;
  MissingRanks missing = MissingRanks::kRefuse;
  astra_sim::RewriteOptions rewrite;
  astra_sim::NetworkChoice network;  ///< for kGoal its link, which is not fitted
  goal::GoalOptions goal;
  /// For kAstraSim: nodes that follow each other become one, for which nothing starts earlier or
  /// later by more than this (coarsen.h); nothing = all stay.
  std::optional<Ns> coarsen_off_ns;
  /// Path of a table that says which node went where; empty = none. Of a larger job it has the
  /// recorded ranks, 0 to their number - 1: rank r of each copy has the same nodes with the same
  /// ids.
  std::string coarsen_map;
  WhatIf what_if;            ///< the graphs get the times of a replay with it
  std::uint64_t memory = 0;  ///< bytes for the run that checks the job; 0 = as many as it needs
  /// Ranks of the larger jobs that are wanted of the recorded one, of which the last is written;
  /// empty = as recorded. Several are for kAstraSim, and then each is run (ConvertRanksReport).
  std::vector<std::int64_t> worlds;
  GrowthOptions growth;
};

/// The work of one rank of the job written.
struct JobMember {
  std::int64_t recorded_rank = -1;  ///< its number when the job was traced; -1 = an idle one
  std::int64_t copy_of = -1;        ///< recorded rank whose traces it runs; -1 = its own
};

/// A recorded job as one of another size.
struct ScaledJob {
  std::int64_t world = 0;  ///< ranks
  astra_sim::RunResult run;

  /// The part of the makespan on the network that goes where communication takes no time; 0 where
  /// it has no makespan.
  double communication_share() const;
  /// The makespan of the first size over this one; each rank does the same work, so 1 is perfect.
  /// 0 where either is unknown.
  double efficiency(const ScaledJob& first) const;
};

struct ConvertRanksReport {
  std::string prefix;                      ///< of the files written
  std::string error;                       ///< that kept the job from being written; empty = none
  std::vector<ConvertReport> ranks;        ///< as converted, before a target's rewriting
  std::vector<std::string> outputs;        ///< the files written
  std::vector<std::string> stale_outputs;  ///< graphs of the prefix that an earlier job left there
  std::vector<Diagnostic> rewritten;       ///< what the target's rewriting did
  std::vector<JobMember> members;          ///< of the job written, by its ranks; empty for kChakra
  astra_sim::Communication communication = astra_sim::Communication::kNetwork;  ///< of kAstraSim
  std::size_t proxy_ranks = 0;  ///< behind the members, where communication is replayed
  std::size_t side_ranks = 0;   ///< behind these: of what runs beside a rank's slots
  Ns recorded_span_ns = 0;  ///< of the rank that took longest; for kAstraSim from the first rank's
                            ///< begin to the last one's end, on the job's clock, but for a
                            ///< what-if of traces; 0 = nobody recorded when its nodes started
  Ns what_if_span_ns = 0;  ///< for kAstraSim the same of the graphs of a what-if; 0 = they are none
  std::string command;     ///< runs the job; empty for kChakra
  astra_sim::JobCheck check;         ///< of the job written for kAstraSim
  goal::GoalCounts schedule;         ///< of the job written for kGoal
  ChangedRun scaled;                 ///< what came of ConvertRanksOptions::what_if
  JobGrowth growth;                  ///< of the job written; world = 0: it did not grow
  std::uint64_t fine_nodes = 0;      ///< of its ranks, before some became one; 0 = none did
  std::uint64_t shared_nodes = 0;    ///< of recorded ranks, shortened as their shards (share_out.h)
  std::uint64_t recorded_bytes = 0;  ///< of the graphs written of as many ranks as were recorded
  std::uint64_t graph_bytes = 0;     ///< of all graphs written
  std::vector<ScaledJob> scaling;    ///< of several sizes, as they were asked for
};

/// Writes all files or none. For kAstraSim each rank is converted with the delays of delays_for,
/// the graphs are rewritten together, and the result passes check_job before it appears; for kGoal
/// lanes keep the delays asked for, since each is a processor of its own. Errors name the rank and
/// its file. Holds all graphs; of plain graphs that are changed the recorded ones become files
/// (recorded_prefix) that stay, whatever follows, and are read one at a time.
ConvertRanksReport convert_ranks(const ConvertRanksOptions& options);

/// The same for a target and graphs that were converted before, of which it holds what their ranks
/// communicate, and one at a time whole. `report`: with what is known of their conversion. Of
/// `options` the traces are of no account.
ConvertRanksReport write_job(RecordedGraphs graphs, const ConvertRanksOptions& options,
                             ConvertRanksReport report);

/// Throws Error(kUsage) for a prefix whose files the target's simulator would not read.
void require_readable_name(Target target, const std::string& prefix);

/// The numbers in the job of the ranks that run their own traces, by recorded rank.
std::map<std::int64_t, std::int64_t> job_ranks(const std::vector<JobMember>& members);

/// Names in the report of a recorded rank what became of it in the job.
void name_output(const std::map<std::int64_t, std::int64_t>& job_ranks, const std::string& prefix,
                 Target target, ConvertReport& rank);

}  // namespace nadi
