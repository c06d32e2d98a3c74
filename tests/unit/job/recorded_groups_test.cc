#include "nadi/sim_bridge/job/recorded_groups.h"

#include <gtest/gtest.h>

namespace nadi {
namespace {

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
    graph.id.push_back(graph.id.size() + 1);
    graph.type.push_back(NodeType::kCollective);
    graph.kind.push_back(NodeKind::kDeviceRow);
    graph.communication.push_back(static_cast<std::uint32_t>(group));
    graph.communications.emplace_back().group = graph.strings.intern(name);
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

}  // namespace
}  // namespace nadi
