// A replay's report for programs.
#pragma once

#include <string>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/sim_bridge/replay/report.h"

namespace nadi::cli {

/// One JSON object (two blanks of indent, newline at the end) with all of the report; times in ns.
/// Measured times are null where nothing was measured. Same report, same bytes.
std::string replay_json(const ReplayReport& report, const std::vector<Diagnostic>& diagnostics);

}  // namespace nadi::cli
