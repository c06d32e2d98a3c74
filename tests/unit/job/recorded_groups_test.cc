// The members of groups, and which names of groups stand for each other.
#include "nadi/sim_bridge/job/recorded_groups.h"

#include <gtest/gtest.h>

#include <chrono>

namespace nadi {
namespace {

void add_collective(Graph& graph, const std::string& group) {
  graph.id.push_back(graph.id.size() + 1);
  graph.kind.push_back(NodeKind::kDeviceRow);
  graph.type.push_back(NodeType::kCollective);
  graph.communication.push_back(static_cast<std::uint32_t>(graph.communications.size()));
  graph.communications.emplace_back().group = graph.strings.intern(group);
}

/// Rank 0 of a job, with a collective in each of the groups "0", "1", ….
Graph graph_of_groups(int groups, std::int64_t world_size) {
  Graph graph;
  graph.rank = 0;
  auto metadata = std::make_shared<ChakraProtoMsg::GlobalMetadata>();
  auto* size = metadata->add_attr();
  size->set_name("world_size");
  size->set_int64_val(world_size);
  auto* described = metadata->add_attr();
  described->set_name("process_groups");
  std::string text;
  for (int group = 0; group < groups; ++group) {
    const std::string name = std::to_string(group);
    text += (text.empty() ? "{\"" : ", \"") + name + R"(": {"desc": "", "ranks": []})";
    add_collective(graph, name);
  }
  described->set_string_val(text + "}");
  graph.metadata = std::move(metadata);
  return graph;
}

TEST(RecordedGroups, OfAllRanksOfAClaimedMillionShareOneList) {
  std::vector<Graph> graphs;
  graphs.push_back(graph_of_groups(1000, 1'000'000));
  GroupReader reader;
  const RecordedJob job =
      read_recorded_job(graphs, {reader.read(*graphs[0].metadata, graphs[0].name)});
  ASSERT_EQ(job.used[0].size(), 1000U);
  const std::vector<std::int64_t>& first = job.used[0].begin()->second.ranks.get();
  EXPECT_EQ(first.size(), 1'000'000U);
  for (const auto& [name, group] : job.used[0]) EXPECT_EQ(&group.ranks.get(), &first);
}

using Names = std::vector<std::vector<std::string>>;

/// Names after uniting, by graph in the order of first use. `ranks_of`: of a group by its name.
template <class RanksOf>
Names united(const Names& names, const RanksOf& ranks_of) {
  std::vector<Graph> graphs(names.size());
  for (std::size_t i = 0; i < names.size(); ++i)
    for (const std::string& name : names[i]) add_collective(graphs[i], name);
  const std::vector<UsedGroups> used =
      unite_groups(graphs, false, [&](std::size_t, const std::string& name) {
        return RecordedGroup{name, {}, ranks_of(name)};
      });
  Names result(names.size());
  for (std::size_t i = 0; i < names.size(); ++i)
    for (const GraphCommunication& communication : graphs[i].communications)
      result[i].push_back(used[i].at(communication.group).name);
  return result;
}

/// All groups are of ranks 0, 1 and 2.
Names united(const Names& names) {
  return united(names, [](const std::string&) { return RankList{0, 1, 2}; });
}

TEST(UniteGroups, AddressesBecomeTheFirstGraphsInTheOrderOfFirstUse) {
  EXPECT_EQ(united({{"100", "200"}, {"310", "320"}, {"999", "444"}}),
            (Names{{"100", "200"}, {"100", "200"}, {"100", "200"}}));
  EXPECT_EQ(united({{"all", "100"}, {"310", "all"}, {"all", "999"}}),
            (Names{{"all", "100"}, {"100", "all"}, {"all", "100"}}));
}

TEST(UniteGroups, NamesThatSeveralGraphsHaveStandForThemselvesAsDoOthersBesideThem) {
  for (const Names& names :
       {Names{{"a", "b"}, {"b", "a"}, {"a", "b"}}, Names{{"a", "b"}, {"a", "c"}, {"b", "c"}},
        Names{{"100", "200"}, {"310"}, {"999", "444"}}})
    EXPECT_EQ(united(names), names);
}

TEST(UniteGroups, GroupsOfOtherMembersKeepTheirNames) {
  const auto ranks_of = [](const std::string& name) {
    return name == "100" ? RankList{0, 1} : RankList{0, 2};
  };
  EXPECT_EQ(united({{"100"}, {"310"}}, ranks_of), (Names{{"100"}, {"310"}}));
}

TEST(UniteGroups, FiftyThousandOfDifferentMembersTakeNoTimeWorthNaming) {
  Names names(2);
  for (int rank = 1; rank <= 50'000; ++rank)
    for (int graph = 0; graph < 2; ++graph)
      names[static_cast<std::size_t>(graph)].push_back(std::to_string(rank + graph * 100'000));
  const auto begin = std::chrono::steady_clock::now();
  const Names result = united(names, [](const std::string& name) {
    return RankList{0, std::stoll(name) % 100'000};
  });
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  EXPECT_EQ(result[1].back(), "50000");
}

}  // namespace
}  // namespace nadi
