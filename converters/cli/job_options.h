// Options of `nadi convert` for several ranks and for simulators, and what it says about them.
#pragma once

#include <string>

#include "nadi/converters/archive/convert_ranks.h"
#include "nadi/converters/cli/options.h"

namespace nadi::cli {

/// --traces, --pattern, --target, --missing, --unsupported and those of the targets.
struct JobArguments {
  std::string traces, pattern;
  Target target = Target::kChakra;
  MissingRanks missing = MissingRanks::kRefuse;
  astra_sim::RewriteOptions rewrite;
  goal::GoalOptions goal;

  /// Another file than one rank's plain graph is wanted.
  bool is_given() const { return !traces.empty() || target != Target::kChakra; }
};

void add_job_options(Options& options, JobArguments& arguments);

/// What the target's rewriting did, the files written and the command that runs them.
std::string format_job_summary(const ConvertRanksReport& report, bool in_detail);

/// Findings of a profile check: a row per rule, its first places below it.
std::string rule_table(const std::vector<astra_sim::RuleFinding>& findings);

}  // namespace nadi::cli
