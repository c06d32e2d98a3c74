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

/// True where the view's groups and significance include the row.
bool is_shown(const DiffRow& row, const DiffView& view);

/// "yes" of significant rows, "no" of those within noise, "?" where the spread is unknown.
std::string verdict_text(Verdict verdict);

/// The change of the mean in percent: "+12.3"; "new" of what control does not have, empty of none.
std::string percent_text(const DiffRow& row);

/// A count per iteration: "1,234", "0.50".
std::string mean_count_text(double count);

/// Returns a few lines: what is compared, the headline, and how many rows changed.
std::string diff_summary(const DiffReport& report);

/// First the iteration, then how long the devices worked in it and stood idle, then the own time of
/// all rows: means over iterations and ranks, with the standard deviation where there are several.
std::string diff_headline(const DiffReport& report);

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
