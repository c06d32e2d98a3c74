// A replay's report for people (tables) and for programs (JSON).
#pragma once

#include <string>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/sim_bridge/replay/report.h"

namespace nadi::cli {

/// Several lines, each ending in a newline. In detail: all lanes, step by step, and all
/// known places of each finding.
std::string format_replay(const ReplayReport& report, const std::vector<Diagnostic>& diagnostics,
                          bool in_detail = false);

/// One JSON object (two blanks of indent, newline at the end) with all of the report; times in ns.
/// Measured times are null where nothing was measured. Same report, same bytes.
std::string replay_json(const ReplayReport& report, const std::vector<Diagnostic>& diagnostics);

}  // namespace nadi::cli
