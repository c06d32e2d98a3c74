// A replay's report for people: tables.
#pragma once

#include <string>
#include <vector>

#include "nadi/sim_bridge/replay/report.h"

namespace nadi::cli {

/// Several lines, each ending in a newline. In detail: all lanes, step by step.
std::string format_replay(const ReplayReport& report, bool in_detail = false);

/// "host=0.8 (120 nodes), stream:7=2 (31 nodes)"; `nodes`: as many as each scale applies to.
std::string scales_text(const std::vector<std::string>& scales,
                        const std::vector<std::size_t>& nodes);

/// "-12.97 %"
std::string change_text(Ns from, Ns to);

/// "the ranks' clocks are as recorded"; empty of one rank.
const char* clock_text(ClockSource clock);

}  // namespace nadi::cli
