// Refuses options of `nadi convert` that others leave without effect.
#pragma once

#include "nadi/converters/cli/job_options.h"
#include "nadi/converters/cli/options.h"

namespace nadi::cli {

/// Throws Error(kUsage) where options of `nadi convert` were given that others leave without
/// effect.
void require_effect(const Options& options, const JobArguments& arguments);

}  // namespace nadi::cli
