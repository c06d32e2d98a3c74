// The result of a diff: all that a table, a file or a page of it shows.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/diff/call_diff.h"
#include "nadi/diff/changed_inputs.h"
#include "nadi/diff/diff_choice.h"
#include "nadi/diff/diff_row.h"
#include "nadi/diff/side_summary.h"

namespace nadi {

struct ComparedSide {
  std::vector<std::string> paths;  ///< by rank
  std::vector<DiffSample> samples;
  /// The changes ("kernels=2") whose predicted times Chakra graphs have; empty = the times, if
  /// there are any, were recorded.
  std::vector<std::string> what_if;
};

struct DiffReport {
  DiffDevice device = DiffDevice::kAll;
  DiffBy by = DiffBy::kName;
  ComparedSide control, test;
  std::vector<DiffRow> rows;  ///< in the order of subtract()
  std::vector<DiffRow> own;   ///< row by row the same of own time, see OwnTimes
  /// All rows; keys are empty: see AllRows.
  DiffRow total, inclusive_total;
  std::array<std::vector<DiffRow>, kLaneMeasures> lanes;  ///< by LaneMeasure, see LaneSummaries
  std::vector<DiffRow> edges;              ///< of Chakra graphs: counts by what edges join
  std::vector<ChangedInputs> inputs;       ///< of ops both sides have
  ByRow<CallDiff> calls;                   ///< see has_calls()
  std::vector<CallDiffIndex> call_of_row;  ///< DiffBy::kCallPath only: row by row
  Diagnostics diagnostics;
};

/// Returns the key of a row, of call paths the whole path.
std::string key_text(const DiffReport& report, std::size_t position);

/// Returns what `total` adds up: "own time of all rows", "own time of all device rows".
std::string total_text(const DiffReport& report);

/// Rows of each CountChange.
std::array<std::uint64_t, kCountChanges> changes_of(const std::vector<DiffRow>& rows);

/// Test minus control. Reports "samples-differ" where the sides have different numbers of samples,
/// so that their totals compare badly; means do compare. Reports "ranks-differ" where they are of
/// different ranks, which may do different work.
DiffReport make_report(const SideSummary& control, const SideSummary& test,
                       const DiffChoice& choice);

}  // namespace nadi
