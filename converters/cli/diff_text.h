// A diff as text for people.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nadi/diff/check_diff.h"
#include "nadi/diff/diff_report.h"

namespace nadi::cli {

enum class DiffSort : std::uint8_t { kDuration, kCount, kName };

struct DiffView {
  std::size_t top = 20;  ///< rows; 0 = all
  DiffSort sort = DiffSort::kDuration;
  std::vector<CountChange> groups;  ///< empty = all
  bool significant_only = false;
  bool is_inclusive = false;  ///< times of calls with all they call, not own times
};

/// Returns a few lines: what is compared, the means per iteration, and how many rows changed.
std::string diff_summary(const DiffReport& report);

/// The table of the rows with the largest differences.
std::string diff_table(const DiffReport& report, const DiffView& view);

/// The call tree as far as the calls that changed most (own time of host calls, time of device
/// rows), indented by depth. Of diffs by call path only.
std::string diff_calls(const DiffReport& report, const DiffView& view);

/// Idle of streams, launch latency, gaps of host threads; empty where there are none.
std::string diff_lanes(const DiffReport& report);

/// Edges of Chakra graphs by what they join; empty for traces.
std::string diff_edges(const DiffReport& report);

/// Ops whose inputs changed, `top` of them (0 = all); empty where none did.
std::string diff_inputs(const DiffReport& report, std::size_t top);

/// Returns what failed and a table of the rows at fault.
std::string failed_text(const DiffReport& report, const FailedCondition& failed, std::size_t top);

}  // namespace nadi::cli
