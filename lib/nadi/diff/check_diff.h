// Judges a diff by the conditions under which it is a failure.
#pragma once

#include <string>
#include <vector>

#include "nadi/diff/diff_report.h"
#include "nadi/diff/fail_if.h"

namespace nadi {

struct FailedCondition {
  std::string condition;               ///< as written
  std::string found;                   ///< "+7.3 %", "12 rows"
  std::vector<std::size_t> offenders;  ///< places in DiffReport::rows, largest change first
  bool is_of_own_time = false;         ///< it is the own time of the offenders that changed
};

/// The verdict of a gate on a report.
struct GateVerdict {
  std::vector<std::string> conditions;  ///< all that were asked, as written
  std::vector<FailedCondition> failed;  ///< those that hold
  /// Reason why the report cannot be judged ("data was lost"); empty = it can. A gate that opens
  /// for nothing, or for half a trace, is none.
  std::string cannot_judge;

  /// True where conditions were asked, none holds, and that can be said.
  bool is_open() const { return failed.empty() && (conditions.empty() || cannot_judge.empty()); }
};

/// Judges a report. Rows of steps (ProfilerStep#N) are of no row's condition: every iteration has
/// another. What one side lacks cannot be judged. Throws Error(kUsage) for slower and faster where
/// there is one sample on each side, and for measures of lanes that neither side has.
GateVerdict check_diff(const DiffReport& report, const std::vector<FailCondition>& conditions);

}  // namespace nadi
