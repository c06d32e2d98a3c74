// Reports on the verbs that make the graphs of many ranks from nothing recorded (text, generate).
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "nadi/base/diagnostics.h"
#include "nadi/converters/cli/progress.h"

namespace nadi::cli {

/// Moves the bar, which must outlive it, with the number of ranks done of `ranks`.
std::function<void(std::int64_t)> ranks_on(ProgressBar& bar, std::int64_t ranks);

/// "PREFIX.0.et to PREFIX.15.et: WHAT" and a table of the findings, on stderr.
void log_synthetic_ranks(const std::string& prefix, std::int64_t ranks, const std::string& what,
                         const Diagnostics& diagnostics);

/// "Run it with" the command, where there is one, on stderr.
void log_command(const std::string& command);

}  // namespace nadi::cli
