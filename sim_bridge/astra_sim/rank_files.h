// Finds the file of each rank.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nadi/sim_bridge/astra_sim/check.h"

namespace nadi::astra_sim {

struct RankFile {
  std::int64_t rank = 0;
  std::string path;
};

/// Files, ascending by rank: the number in PREFIX.<rank>.et, else the rank in the file's metadata,
/// else the lowest that is free. Adds what the simulator would not find under these names. Ranks
/// are below 65,536; a larger number is not believed.
std::vector<RankFile> find_rank_files(const std::vector<std::string>& files,
                                      RuleFindings& findings);

}  // namespace nadi::astra_sim
