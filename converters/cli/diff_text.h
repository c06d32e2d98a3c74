// A diff as text for people.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nadi/diff/diff_report.h"
#include "nadi/diff/fail_if.h"

namespace nadi::cli {

enum class DiffSort : std::uint8_t { kDuration, kCount, kName };

struct DiffView {
  std::size_t top = 20;  ///< rows; 0 = all
  DiffSort sort = DiffSort::kDuration;
  std::vector<CountChange> groups;  ///< empty = all
  bool significant_only = false;
};

/// What is compared, and how much changed: a few lines.
std::string diff_summary(const DiffReport& report);

/// The table of the rows with the largest differences.
std::string diff_table(const DiffReport& report, const DiffView& view);

/// What failed, and a table of the rows at fault.
std::string failed_text(const DiffReport& report, const FailedCondition& failed, std::size_t top);

}  // namespace nadi::cli
