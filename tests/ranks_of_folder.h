// The traces of a job in a folder, as the tool finds them.
#pragma once

#include <string>
#include <vector>

#include "nadi/converters/archive/pair_ranks.h"
#include "nadi/converters/job_inputs.h"

namespace nadi {

inline std::vector<RankTraces> ranks_of_folder(const std::string& folder) {
  Diagnostics ignored;
  std::vector<RankTraces> ranks;
  for (const JobInput& input : find_job_inputs({folder}, ignored))
    ranks.push_back({input.rank, input.traces});
  return ranks;
}

}  // namespace nadi
