// Runs the ranks of a job under ASTRA-sim's issue rules, as far as the memory holds them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nadi/base/time.h"
#include "nadi/chakra/findings.h"
#include "nadi/sim_bridge/astra_sim/fit_network.h"
#include "nadi/sim_bridge/astra_sim/network_run.h"
#include "nadi/sim_bridge/astra_sim/run_proof.h"

namespace nadi::astra_sim {

struct RunOptions {
  std::optional<JobNetwork> network;  ///< for a second run with its times
  /// What `network` is fitted to; 0 = nobody knows it. Nothing = the network stays as it is.
  std::optional<Ns> recorded_span_ns;
  /// NPUs of a job that was grown (grow_job.h), of which the ranks are the first copy: all others
  /// do the same at the same times. 0 = the ranks are all.
  std::int64_t job_ranks = 0;
  bool runs_without_communication = false;  ///< for RunResult::free_makespan_ns
};

struct RunResult {
  bool is_run = true;         ///< else memory was too little for it, and it has no times
  bool all_read_ran = false;  ///< every node ran under the issue rules, or is proven to run
  std::string unproven;       ///< why a job that was not run is not proven to run; empty = it is
  Ns makespan_ns = 0;  ///< of that run: collectives take the shortest duration of their nodes
  std::optional<Ns> network_makespan_ns;  ///< of the same run with the network's times
  std::optional<NetworkFit> fit;          ///< of the network, where it was asked for
  std::optional<JobNetwork> network;      ///< of the run with its times
  Ns free_makespan_ns = 0;      ///< of the run if communication took no time; 0 = not asked for
  std::string network_unknown;  ///< why a network given has no makespan; empty = it has one
  std::size_t most_ready = 0;   ///< nodes of one rank ready at one time
};

/// Holds the ranks, about 50 bytes a node. Beyond the memory, that all nodes run is proven from
/// what communicates (run_proof.h).
class JobRun {
 public:
  /// `memory`: bytes for the run of all ranks; 0 = as many as it needs.
  explicit JobRun(std::uint64_t memory) : memory_(memory) {}

  /// Ascending; those left out have no nodes.
  void add(std::size_t rank, IssueRank of_rank);
  /// Ranks so far.
  std::size_t size() const { return count_; }

  /// Adds what keeps the simulator from running all nodes. `groups`: members by number, as the
  /// group file lists them.
  RunResult finish(const RunOptions& options, const GroupMembers& groups,
                   CheckFindingList& findings) &&;

 private:
  void prove(const RunOptions& options, GroupMembers groups);
  void run(const RunOptions& options, const GroupMembers& groups, CheckFindingList& findings);
  void run_on(const JobNetwork& network, const RunOptions& options, const GroupMembers& groups);

  const std::uint64_t memory_;
  std::vector<IssueRank> ranks_;  // empty once memory is too little
  std::uint64_t bytes_kept_ = 0;
  std::size_t count_ = 0;
  RunProof proof_;  // of those that are not kept
  RunResult result_;
};

}  // namespace nadi::astra_sim
