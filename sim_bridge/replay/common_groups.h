// Finds the groups of different ranks' graphs that are the same.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "nadi/chakra/groups.h"
#include "nadi/sim_bridge/replay/replay_job.h"

namespace nadi {

/// A group by the name that all ranks share.
struct CommonGroup {
  std::string name;
  RankList ranks;  ///< empty = not told
};

/// By graph and the graph's own name. Throws Error (kInput) where the graphs' metadata speak of
/// jobs of different sizes.
std::vector<std::map<StringId, CommonGroup>> common_groups(const ReplayJob& job);

}  // namespace nadi
