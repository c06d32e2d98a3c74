// Finds the files of a folder that are the traces of each rank.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/converters/read_traces.h"

namespace nadi {

struct RankTraces {
  std::int64_t rank = 0;
  TraceFiles traces;
};

/// Looks at the first bytes of every file of the folder (not of folders in it). A device trace's
/// rank is what its distributedInfo says, else the number in its name; a host trace belongs to the
/// device trace of the same process, else of the same number. `pattern`, if given, is a file name
/// with {rank} and any number of *: other names are ignored, and the number at {rank} is the rank.
/// Files that are no traces are reported ("file-ignored"). In order of rank. Throws Error(kInput)
/// that lists what was found where there is no device trace, a rank twice, or a host trace missing.
std::vector<RankTraces> pair_ranks(const std::string& folder, const std::string& pattern,
                                   Diagnostics& diagnostics);

/// The number after "rank" in a file name, else the last number before its extensions; -1 = none.
std::int64_t rank_in_name(std::string_view name);

/// The number at {rank} of a name that fits the pattern; -1 = it does not fit. Throws Error(kUsage)
/// for a pattern without {rank}.
std::int64_t rank_by_pattern(std::string_view name, std::string_view pattern);

}  // namespace nadi
