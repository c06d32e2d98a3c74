// A replay's report for people: tables.
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

}  // namespace nadi::cli
