#include "nadi/sim_bridge/job/merge_group_names.h"

#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <tuple>

namespace nadi {
namespace {

struct Use {
  std::size_t graph = 0, place = 0;
  UsedGroup* group = nullptr;
};

/// `uses`: of groups of equal members, by graph and place.
void merge(std::span<const Use> uses) {
  std::map<std::string_view, std::size_t> users;
  std::size_t graphs = 0;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    ++users[uses[i].group->name];
    if (i == 0 || uses[i].graph != uses[i - 1].graph) ++graphs;
  }
  std::vector<std::vector<UsedGroup*>> own;  // by graph: groups whose names are its alone
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (i == 0 || uses[i].graph != uses[i - 1].graph) own.emplace_back();
    const std::size_t with_name = users.at(uses[i].group->name);
    if (with_name == graphs) continue;
    if (with_name > 1) return;
    own.back().push_back(uses[i].group);
  }
  for (const auto& of_graph : own)
    if (of_graph.size() != own.front().size()) return;
  for (const auto& of_graph : own)
    for (std::size_t place = 0; place < of_graph.size(); ++place)
      of_graph[place]->name = own.front()[place]->name;
}

}  // namespace

void merge_group_names(std::vector<std::vector<UsedGroup>>& used) {
  std::vector<Use> uses;
  for (std::size_t graph = 0; graph < used.size(); ++graph)
    for (std::size_t place = 0; place < used[graph].size(); ++place)
      uses.push_back({graph, place, &used[graph][place]});
  std::sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) {
    return std::tie(a.group->ranks, a.graph, a.place) < std::tie(b.group->ranks, b.graph, b.place);
  });
  for (std::size_t begin = 0, end = 0; begin < uses.size(); begin = end) {
    while (end < uses.size() && uses[end].group->ranks == uses[begin].group->ranks) ++end;
    merge(std::span(uses).subspan(begin, end - begin));
  }
}

}  // namespace nadi
