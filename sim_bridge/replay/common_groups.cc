#include "nadi/sim_bridge/replay/common_groups.h"

#include <algorithm>
#include <optional>
#include <tuple>

namespace nadi {

namespace {

constexpr std::int64_t kMostListed = 1 << 20;  // ranks

/// Names of the groups that a graph communicates in, in the order of first use.
std::vector<StringId> names_in_use(const ChakraGraph& graph) {
  std::vector<StringId> names;
  std::vector<bool> is_known(graph.strings.size(), false);
  for (std::size_t row = 0; row < graph.size(); ++row) {
    if (graph.communication[row] == kNoIndex) continue;
    const StringId name = graph.communications[graph.communication[row]].group;
    if (is_known[static_cast<std::uint32_t>(name)]) continue;
    is_known[static_cast<std::uint32_t>(name)] = true;
    names.push_back(name);
  }
  return names;
}

/// Groups of one name but of other ranks are not the same: they get a number each, in the order of
/// their ranks.
void number_groups_of_one_name(std::vector<std::vector<UsedGroup>>& used) {
  std::vector<UsedGroup*> groups;
  for (auto& of_graph : used)
    for (UsedGroup& group : of_graph) groups.push_back(&group);
  std::sort(groups.begin(), groups.end(), [](const UsedGroup* a, const UsedGroup* b) {
    return std::tie(a->name, a->ranks) < std::tie(b->name, b->ranks);
  });
  for (std::size_t begin = 0, end = 0; begin < groups.size(); begin = end) {
    std::vector<std::size_t> number;  // from 1
    for (; end < groups.size() && groups[end]->name == groups[begin]->name; ++end)
      number.push_back(number.empty()                                 ? 1
                       : groups[end]->ranks == groups[end - 1]->ranks ? number.back()
                                                                      : number.back() + 1);
    if (number.back() == 1) continue;
    for (std::size_t i = begin; i < end; ++i)
      groups[i]->name += " (" + std::to_string(number[i - begin]) + " of the " +
                         std::to_string(number.back()) + " of this name)";
  }
}

}  // namespace

std::vector<std::map<StringId, CommonGroup>> common_groups(const ReplayJob& job) {
  const std::optional<std::int64_t> world = declared_world_size(job.graphs, job.rank);
  const bool is_listed = world && *world > 0 && *world <= kMostListed;
  const RankList all = all_ranks(is_listed ? *world : 0);
  std::vector<std::map<StringId, CommonGroup>> groups(job.graphs.size());
  std::vector<std::vector<UsedGroup>> used(job.graphs.size());
  std::vector<std::vector<StringId>> own_name(job.graphs.size());  // of used
  for (std::size_t of = 0; of < job.graphs.size(); ++of) {
    const ChakraGraph& graph = job.graphs[of];
    const auto described = described_groups(graph.metadata, graph.name);
    for (const StringId id : names_in_use(graph)) {
      const std::string name(graph.strings[id]);
      CommonGroup& group = groups[of][id] = {name, {}};
      const auto known = described.find(name);
      if (known == described.end()) continue;
      const bool has_all = is_listed && is_of_all_ranks(known->second, *world);
      group.ranks = has_all ? all : RankList(known->second.ranks);
      if (group.ranks.empty()) continue;
      used[of].push_back({group.ranks, name});
      own_name[of].push_back(id);
    }
  }
  merge_group_names(used);
  number_groups_of_one_name(used);
  for (std::size_t of = 0; of < used.size(); ++of)
    for (std::size_t place = 0; place < used[of].size(); ++place)
      groups[of].at(own_name[of][place]).name = used[of][place].name;
  return groups;
}

}  // namespace nadi
