// Checks the files of a job against everything ASTRA-sim demands of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nadi/base/time.h"

namespace nadi::astra_sim {

enum class RuleSeverity : std::uint8_t {
  kNote,     ///< runs, but not as one might think
  kWarning,  ///< runs only with some settings, or slowly
  kError,    ///< ends the run, never ends, or silently loses something
};

/// All that breaks one rule.
struct RuleFinding {
  static constexpr std::size_t kMaxPlaces = 3;
  std::string rule;  ///< stable, kebab-case
  RuleSeverity severity = RuleSeverity::kError;
  std::uint64_t count = 0;
  std::vector<std::string> first;  ///< the first places: "rank 1: node 7 (nccl:all_reduce)"
  std::string consequence;         ///< what the simulator would do
  std::string assumed;             ///< what the run under the issue rules did; empty = the same
};

/// One row per rule, errors first.
class RuleFindings {
 public:
  /// Counts one more break of a rule of the table in rules.cc.
  void add(std::string_view rule, std::string place);
  std::vector<RuleFinding> sorted() &&;

 private:
  std::vector<RuleFinding> findings_;
};

struct CheckOptions {
  std::vector<std::string> files;   ///< of all ranks, any order
  std::string comm_groups;          ///< ASTRA-sim's group file; empty = none
  std::int64_t dataset_splits = 4;  ///< `preferred-dataset-splits` of the system file
};

struct JobCheck {
  std::vector<RuleFinding> findings;
  std::uint64_t nodes = 0;
  bool all_read_ran = false;   ///< every node read ran under the issue rules
  bool all_run = false;        ///< and nothing found keeps the simulator from running all of them
  Ns makespan_ns = 0;          ///< of that run: collectives take their shortest measured duration
  std::size_t most_ready = 0;  ///< nodes of one rank ready at one time

  bool has_errors() const {
    return !findings.empty() && findings.front().severity == RuleSeverity::kError;
  }
  const RuleFinding* find(std::string_view rule) const;
};

/// A file that is no graph is a finding; throws Error(kInput) only where a file cannot be opened or
/// the group file is no such file. Holds about 100 bytes a node.
JobCheck check_job(const CheckOptions& options);

}  // namespace nadi::astra_sim
