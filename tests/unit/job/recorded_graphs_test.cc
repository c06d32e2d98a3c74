// What is kept of the graphs of a job.
#include "nadi/sim_bridge/job/recorded_graphs.h"

#include <gtest/gtest.h>

#include "tests/et_file.h"

namespace nadi {
namespace {

TEST(CommunicationOf, AGraphIsItsNodesThatCommunicateWithTheirNumbersTimesAndGroups) {
  TemporaryFolder folder;
  EtFile file(3);
  file.world(4, R"({"dp":{"ranks":[2,3]}})");
  file.host(1, 0, 3);
  file.collective(2, ChakraProtoMsg::ALL_REDUCE, 4096, "dp", 3, 8, {1});
  file.host(3, 12, 1, {2});
  file.message(4, NodeType::kSend, 3, 2, 7, 64, 5, {3});
  const Graph graph = file.load(folder);
  const Graph kept = communication_of(graph);
  ASSERT_EQ(kept.size(), 2U);
  EXPECT_EQ(kept.rank, 3);
  EXPECT_EQ(kept.name, graph.name);
  EXPECT_EQ(kept.id[0], 2U);
  EXPECT_EQ(kept.name_of(0), graph.name_of(1));
  EXPECT_EQ(kept.start_ns[0], 3'000);
  EXPECT_EQ(kept.duration_ns[0], 8'000);
  const GraphCommunication& collective = kept.communications[kept.communication[0]];
  EXPECT_EQ(kept.strings[collective.group], "dp");
  EXPECT_EQ(collective.bytes, 4096);
  EXPECT_EQ(kept.communications[kept.communication[1]].dst, 2);
  EXPECT_TRUE(kept.dependencies(1).empty());
}

}  // namespace
}  // namespace nadi
