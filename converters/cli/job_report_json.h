// What `nadi convert` says about a job, for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "nadi/converters/archive/convert_ranks.h"

namespace nadi::cli {

/// Returns what was made of a job: target, members, times, findings, files and command, or "error".
nlohmann::ordered_json job_json(const ConvertRanksReport& report, Target target);

/// The same as the text of a file, with the reports of all ranks (report_json).
std::string job_report_json(const ConvertRanksReport& report, Target target);

}  // namespace nadi::cli
