// Checks the files of a job against everything ASTRA-sim demands of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nadi/chakra/findings.h"
#include "nadi/sim_bridge/astra_sim/job_run.h"

namespace nadi::astra_sim {

struct CheckOptions : RunOptions {
  std::vector<std::string> files;         ///< of all ranks, any order
  std::uint64_t memory = 0;               ///< as JobRun takes it
  std::string comm_groups;                ///< ASTRA-sim's group file; empty = none
  std::int64_t dataset_splits = 4;        ///< `preferred-dataset-splits` of the system file
  std::optional<bool> has_remote_memory;  ///< of the memory file; nothing where there is none
  bool tracks_local_memory = false;       ///< `track-local-mem` of the system file
};

struct JobCheck : RunResult, CheckFindings {
  std::uint64_t nodes = 0;
  bool all_run = false;  ///< all_read_ran, and nothing found keeps the simulator from it
};

/// A file that is no graph is a finding; throws Error(kInput) only where a file cannot be opened or
/// the group file is no such file. Ranks are checked one after the other, then run (job_run.h).
JobCheck check_job(const CheckOptions& options);

}  // namespace nadi::astra_sim
