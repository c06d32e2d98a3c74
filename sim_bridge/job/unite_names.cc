#include "nadi/sim_bridge/job/unite_names.h"

#include <map>

namespace nadi {

void unite_group_names(std::vector<std::vector<UsedGroup>>& used) {
  std::map<std::vector<std::int64_t>, std::vector<std::size_t>> graphs_by_ranks;
  std::map<std::pair<std::vector<std::int64_t>, std::string>, std::size_t> users;
  for (std::size_t i = 0; i < used.size(); ++i)
    for (const UsedGroup& group : used[i]) {
      auto& graphs = graphs_by_ranks[group.ranks];
      if (graphs.empty() || graphs.back() != i) graphs.push_back(i);
      ++users[{group.ranks, group.name}];
    }
  for (const auto& [ranks, graphs] : graphs_by_ranks) {
    std::vector<std::string> common;  // in the order of first use
    for (const std::size_t i : graphs) {
      std::size_t place = 0;
      for (UsedGroup& group : used[i]) {
        if (group.ranks != ranks || users.at({ranks, group.name}) == graphs.size()) continue;
        if (place == common.size()) common.push_back(group.name);
        group.name = common[place++];
      }
    }
  }
}

}  // namespace nadi
