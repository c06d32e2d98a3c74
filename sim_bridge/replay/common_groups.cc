#include "nadi/sim_bridge/replay/common_groups.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

#include "nadi/base/error.h"
#include "nadi/sim_bridge/feeder/attribute_value.h"
#include "nadi/sim_bridge/job/group_json.h"
#include "nadi/sim_bridge/job/unite_names.h"

namespace nadi {

namespace {

constexpr std::int64_t kMostListed = 1 << 20;  // ranks

std::optional<std::int64_t> world_size_of(const ReplayJob& job) {
  std::optional<std::int64_t> told;
  std::size_t by = 0;
  for (std::size_t of = 0; of < job.graphs.size(); ++of) {
    const auto* size = find_attribute(job.graphs[of].metadata, "world_size");
    if (size == nullptr) continue;
    if (told && *told != size->int64_val())
      throw Error(ErrorCode::kInput, job.graphs[of].name,
                  "rank " + std::to_string(job.rank[of]) + " is of a job of " +
                      std::to_string(size->int64_val()) + " ranks, " + job.graphs[by].name +
                      " of one of " + std::to_string(*told),
                  "Pass the graphs of one job");
    told = size->int64_val();
    by = of;
  }
  return told;
}

/// Names of the groups that a graph communicates in, in the order of first use.
std::vector<StringId> names_in_use(const SimGraph& graph) {
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

/// Empty where they are not told. An empty list of a described group means all ranks (H8), unless
/// the size says otherwise.
std::vector<std::int64_t> ranks_of(const DescribedGroup& group, std::optional<std::int64_t> world) {
  std::vector<std::int64_t> ranks = group.ranks;
  const bool is_of_all = ranks.empty() && world && *world > 0 && *world <= kMostListed &&
                         (group.size < 0 || group.size == *world);
  if (is_of_all) {
    ranks.resize(static_cast<std::size_t>(*world));
    std::iota(ranks.begin(), ranks.end(), 0);
  }
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

/// Groups of one name but of other ranks are not the same.
void tell_namesakes_apart(std::vector<std::vector<UsedGroup>>& told) {
  std::map<std::string, std::set<std::vector<std::int64_t>>> ranks_of_name;
  for (const auto& groups : told)
    for (const UsedGroup& group : groups) ranks_of_name[group.name].insert(group.ranks);
  for (auto& groups : told)
    for (UsedGroup& group : groups)
      if (ranks_of_name.at(group.name).size() > 1)
        group.name += " of rank " + std::to_string(group.ranks.front()) + " and others";
}

}  // namespace

std::vector<std::map<StringId, CommonGroup>> common_groups(const ReplayJob& job) {
  const std::optional<std::int64_t> world = world_size_of(job);
  std::vector<std::map<StringId, CommonGroup>> groups(job.graphs.size());
  std::vector<std::vector<UsedGroup>> told(job.graphs.size());
  std::vector<std::vector<StringId>> own_name(job.graphs.size());  // of told
  for (std::size_t of = 0; of < job.graphs.size(); ++of) {
    const SimGraph& graph = job.graphs[of];
    const auto* text = find_attribute(graph.metadata, "process_groups");
    std::map<std::string, DescribedGroup> described;
    if (text != nullptr) described = parse_process_groups(text->string_val(), graph.name);
    for (const StringId id : names_in_use(graph)) {
      const std::string name(graph.strings[id]);
      CommonGroup& group = groups[of][id] = {name, {}};
      const auto known = described.find(name);
      if (known == described.end()) continue;
      group.ranks = ranks_of(known->second, world);
      if (group.ranks.empty()) continue;
      told[of].push_back({group.ranks, name});
      own_name[of].push_back(id);
    }
  }
  unite_group_names(told);
  tell_namesakes_apart(told);
  for (std::size_t of = 0; of < told.size(); ++of)
    for (std::size_t place = 0; place < told[of].size(); ++place)
      groups[of].at(own_name[of][place]).name = told[of][place].name;
  return groups;
}

}  // namespace nadi
