// Checks the files of a job against everything ASTRA-sim demands of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nadi/base/time.h"
#include "nadi/chakra/findings.h"
#include "nadi/sim_bridge/astra_sim/fit_network.h"
#include "nadi/sim_bridge/astra_sim/network_run.h"

namespace nadi::astra_sim {

struct CheckOptions {
  std::vector<std::string> files;     ///< of all ranks, any order
  std::string comm_groups;            ///< ASTRA-sim's group file; empty = none
  std::int64_t dataset_splits = 4;    ///< `preferred-dataset-splits` of the system file
  std::optional<JobNetwork> network;  ///< for a second run with its times, and for its own rules
  std::optional<bool> has_remote_memory;  ///< of the memory file; nothing where there is none
  bool tracks_local_memory = false;       ///< `track-local-mem` of the system file
  Ns recorded_span_ns = 0;                ///< what `network` is fitted to; 0 = it stays as it is
  std::uint64_t memory = 0;  ///< bytes for the run of all ranks; 0 = as many as it needs
  /// NPUs of a job that was grown (grow_job.h), of which the files are the first copy: all other
  /// ranks do the same at the same times. 0 = the files are all.
  std::int64_t job_ranks = 0;
  bool runs_without_communication = false;  ///< for JobCheck::free_makespan_ns
};

struct JobCheck {
  std::vector<CheckFinding> findings;
  std::uint64_t nodes = 0;
  bool is_run = true;         ///< else memory was too little for it, and it has no times
  bool all_read_ran = false;  ///< every node read ran under the issue rules, or is proven to run
  std::string unproven;       ///< why a job that was not run is not proven to run; empty = it is
  bool all_run = false;       ///< and nothing found keeps the simulator from running all of them
  Ns makespan_ns = 0;         ///< of that run: collectives take their shortest measured duration
  std::optional<Ns> network_makespan_ns;  ///< of the same run with the network's times
  std::optional<NetworkFit> fit;          ///< of the network, where it was asked for
  std::optional<JobNetwork> network;      ///< of the run with its times
  Ns free_makespan_ns = 0;      ///< of the run if communication took no time; 0 = not asked for
  std::string network_unknown;  ///< why a network given has no makespan; empty = it has one
  std::size_t most_ready = 0;   ///< nodes of one rank ready at one time

  bool has_errors() const {
    return !findings.empty() && severity_of(findings.front().rule) == CheckSeverity::kError;
  }
  const CheckFinding* find(CheckRule rule) const { return find_finding(findings, rule); }
};

/// A file that is no graph is a finding; throws Error(kInput) only where a file cannot be opened or
/// the group file is no such file. Ranks are checked one after the other; all are held only for
/// their run, about 50 bytes a node, as far as the memory allows it. Beyond that, that all nodes
/// run is proven from what communicates (run_proof.h).
JobCheck check_job(const CheckOptions& options);

}  // namespace nadi::astra_sim
