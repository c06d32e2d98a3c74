// A replay's report for people: tables.
#pragma once

#include <string>

#include "nadi/sim_bridge/replay/report.h"

namespace nadi::cli {

/// Several lines, each ending in a newline. In detail: all lanes, step by step.
std::string format_replay(const ReplayReport& report, bool in_detail = false);

/// "the ranks' clocks are as recorded"; empty of one rank.
const char* clock_text(ClockSource clock);

}  // namespace nadi::cli
