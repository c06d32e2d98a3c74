// Host threads and device streams become lanes (K15).
#include <gtest/gtest.h>

#include <cstdint>
#include <set>

#include "tests/unit/link/trace_text.h"

namespace nadi {
namespace {

using namespace test;

const Lane& lane_of(const LinkedTrace& linked, const std::string& name) {
  for (std::uint32_t row = 0; row < linked.ops.size(); ++row)
    if (op_name(linked, row) == name) return linked.lanes[linked.ops.lane[row]];
  throw std::runtime_error("no op " + name);
}

TEST(Lanes, K15_AThreadHasTheLogicalTidMostOfItsMatchedOpsCarry) {
  const LinkedTrace linked = link(
      {op("a", 0, 1, 1, 4711), op("b", 2, 1, 2, 4711), op("c", 4, 1, 3, 4711),
       op("d", 0, 1, 4, 4712)},
      {node(2, "a", 1, 1, 1), node(3, "b", 1, 2, 2), node(4, "c", 1, 3, 1), node(5, "d", 1, 4, 2)});
  EXPECT_EQ(lane_of(linked, "a").tid, 1);
  EXPECT_EQ(lane_of(linked, "b").tid, 1);  // it ran there, whatever the host trace says
  EXPECT_EQ(lane_of(linked, "d").tid, 2);
}

TEST(Lanes, AThreadThatSharesNoOpKeepsItsOsTidUnlessALogicalOneIsEqual) {
  const LinkedTrace linked =
      link({op("a", 0, 1, 1, 4711), launch(1, 1, 11, 4712), launch(1, 1, 12, 1)},
           {node(2, "a", 1, 1, 1)});
  ASSERT_EQ(linked.lanes.size(), 3U);
  EXPECT_EQ(linked.lanes[0].tid, 1);
  EXPECT_EQ(linked.lanes[1].tid, 4712);
  EXPECT_NE(linked.lanes[2].tid, 1);
}

TEST(Lanes, AThreadWhoseTidIsTakenGetsAFreeOneAlsoBesideTheGreatest) {
  Lines events{launch(1, 1, 11, 1)}, nodes;
  for (int i = 1; i <= 9; ++i) {
    events.push_back(op("a", i, 0.5, i));
    nodes.push_back(node(1 + i, "a", 1, i));
  }
  nodes.push_back(
      R"({"id": 20, "name": "b", "parent": 1, "rf_id": 99, "tid": 9223372036854775807})");
  std::set<std::int64_t> tids;
  for (const Lane& lane : link(events, nodes).lanes) tids.insert(lane.tid);
  EXPECT_EQ(tids, (std::set<std::int64_t>{1, 2, 9223372036854775807}));
}

TEST(Lanes, AThreadRunsTheBackwardPassWhereItsOpsAreNamedAsAutogradsNodes) {
  for (const char* name : {"MulBackward0", "ReluBackward1", "CudnnConvolutionBackward",
                           "torch::autograd::AccumulateGrad", "torch::autograd::CopyBackwards"})
    EXPECT_TRUE(lane_of(link({op(name, 0, 5, 1)}), name).is_backward) << name;
  for (const char* name : {"Backward", "my Backward", "aten::mm_backward", "MulBackward0Hook"})
    EXPECT_FALSE(lane_of(link({op(name, 0, 5, 1)}), name).is_backward) << name;
}

TEST(Lanes, AThreadThatRunsItsOwnForwardOpsBackwardIsNoBackwardLane) {
  const LinkedTrace linked =
      link({op("aten::mm", 0, 5, 1, 100, R"("Sequence number": 7)"),
            op("MmBackward0", 10, 9, 2, 100, R"("Sequence number": 7, "Fwd thread id": 1)"),
            op("torch::autograd::AccumulateGrad", 20, 1, 3, 100)});
  EXPECT_FALSE(lane_of(linked, "aten::mm").is_backward);
}

}  // namespace
}  // namespace nadi
