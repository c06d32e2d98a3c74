// One name per process group, where every process has its own.
#pragma once

#include <string>
#include <vector>

#include "nadi/sim_bridge/job/rank_list.h"

namespace nadi {

/// A group that a rank's graph uses.
struct UsedGroup {
  RankList ranks;
  std::string name;  ///< of its graph and ranks the only one
};

/// Old recorders name a group by its address, another one in each process. Among groups of equal
/// members, names that not all of the graphs have stand for each other in the order of first use;
/// they become the first graph's. Only where that is beyond doubt: each such name is in one graph
/// alone, and all the graphs have as many. Else the names are real, and graphs lack some of the
/// groups (cut traces). `used`: by graph, in that order.
void merge_group_names(std::vector<std::vector<UsedGroup>>& used);

}  // namespace nadi
