// What verbs find, for a program that runs them, in place of text and files.
#pragma once

#include <string>
#include <vector>

#include "nadi/diff/check_diff.h"
#include "nadi/diff/diff_report.h"
#include "nadi/emit/column_table.h"

namespace nadi::cli {

struct ComparedRuns {
  DiffReport report;
  GateVerdict gate;

  /// Why the gate is not open: "added>0 holds"; empty = it is.
  std::string failure() const;
};

/// Compares two runs: `words` are "diff", and its arguments and options, as run_words takes them.
/// Throws Error(kUsage) of options about what the verb prints and writes, and what run_as throws.
ComparedRuns compare_runs(const std::vector<std::string>& words);

/// Checks graphs, as `words` say: "check", and so on. A row per rule that a graph breaks, errors
/// first: graph (empty: all of the job), rule, severity, fails (with --strict warnings, too),
/// count, message, first. Throws what run_as throws.
nadi::ColumnTable check_graphs(const std::vector<std::string>& words);

}  // namespace nadi::cli
