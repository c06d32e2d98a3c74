// Refuses options of `nadi convert` that others leave without effect.
#pragma once

#include "nadi/converters/cli/job_options.h"
#include "nadi/converters/cli/options.h"

namespace nadi::cli {

/// Throws Error(kUsage) where options of `nadi convert` were given that others leave without
/// effect.
void require_effect(const Options& options, const JobArguments& arguments);

/// Whoever says something about the network gets files whose communication it times, also of a job
/// that has none. After require_effect.
void choose_communication(const Options& options, JobArguments& arguments);

}  // namespace nadi::cli
