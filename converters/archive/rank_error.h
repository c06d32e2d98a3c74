// Errors of a job that say whose traces they are about.
#pragma once

#include <vector>

#include "nadi/base/error.h"
#include "nadi/converters/archive/pair_ranks.h"
#include "nadi/converters/report.h"

namespace nadi {

/// Returns the error with "rank 1 (FILE)" as its place.
Error error_of_rank(const Error& error, const RankTraces& rank);

/// The error, which also names the ranks whose traces are cut: what is missing there is the likely
/// cause of what the ranks disagree about. The same error where none is.
Error error_with_cut_traces(const Error& error, const std::vector<ConvertReport>& ranks);

}  // namespace nadi
