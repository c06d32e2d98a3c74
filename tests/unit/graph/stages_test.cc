// The stages that make nodes and edges.
#include <gtest/gtest.h>

#include "tests/unit/graph/trace_graph.h"

namespace nadi {
namespace {

using namespace test;

TEST(HostLanes, OwnTimeIsCutAtChildrenLaunchesAndBlockingCalls) {
  const TraceGraph g({op("a", 0, 50, 1), op("b", 10, 10, 2), launch(30, 2, 11),
                      call("cudaStreamSynchronize", 40, 5, 12), sync("Stream Sync", 40, 12, 7),
                      row("k", 33, 10, 11)});
  EXPECT_EQ(g.labels(),
            (Labels{"a", "b", "a@20", "a@30", "k", "cudaStreamSynchronize@43", "a@45"}));
  EXPECT_EQ(g.duration_us("a"), 10);
  EXPECT_EQ(g.duration_us("a@20"), 10);
  EXPECT_EQ(g.duration_us("a@30"), 10);
  EXPECT_EQ(g.duration_us("cudaStreamSynchronize@43"), 2);
  EXPECT_EQ(g.graph.exclusive_ns[0], 40000);  // 50 less b's 10; the call is a's own
}

TEST(HostLanes, OwnTimeOfAnAnnotationIsNoWorkButThatOfAnAnnotationInAnOpIs) {
  const TraceGraph outside({annotation("note", 0, 30), op("a", 10, 5, 1)});
  EXPECT_EQ(outside.labels(), (Labels{"note", "a"}));
  EXPECT_EQ(outside.duration_us("note"), 0);
  const TraceGraph inside({op("a", 0, 30, 1), annotation("note", 10, 5)});
  EXPECT_EQ(inside.labels(), (Labels{"a", "note", "a@15"}));
  EXPECT_EQ(inside.duration_us("note"), 5);
}

TEST(HostLanes, ACallThatNeitherLaunchesNorBlocksIsNoNode) {
  const TraceGraph g(
      {op("a", 0, 30, 1), call("cudaGetDevice", 5, 2, 11), call("cudaEventRecord", 40, 2, 12)});
  EXPECT_EQ(g.labels(), Labels{"a"});
}

TEST(Launches, ARowFollowsTheNodeThatEndsWhereItsLaunchBegins) {
  const TraceGraph g({op("a", 0, 30, 1), launch(10, 15, 11), row("k", 12, 5, 11)});
  EXPECT_EQ(g.before("k", Evidence::kLaunch), Labels{"a"});
  EXPECT_EQ(g.duration_us("a"), 10);
  EXPECT_EQ(g.before("k", Evidence::kNesting), Labels{"a"});
}

TEST(Launches, OnlyTheFirstRowsOfAGraphLaunchFollowTheLaunch) {
  const TraceGraph g({op("a", 0, 30, 1), call("cudaGraphLaunch", 10, 5, 11), row("k1", 12, 5, 11),
                      row("k2", 18, 5, 11), row("side", 13, 5, 11, 9)});
  EXPECT_EQ(g.before("k1", Evidence::kLaunch), Labels{"a"});
  EXPECT_EQ(g.before("side", Evidence::kLaunch), Labels{"a"});
  EXPECT_EQ(g.before("k2", Evidence::kLaunch), Labels{});
  EXPECT_EQ(g.before("k2", Evidence::kGraphOrder), Labels{"k1"});
}

TEST(StreamOrder, InsideAGraphLaunchRowsSideBySideAreUnordered) {
  const TraceGraph g({call("cudaGraphLaunch", 1, 5, 11), row("a", 10, 10, 11), row("b", 12, 4, 11),
                      row("c", 17, 9, 11), row("d", 30, 1, 11)});
  EXPECT_EQ(g.before("b", Evidence::kGraphOrder), Labels{});
  EXPECT_EQ(g.before("c", Evidence::kGraphOrder), Labels{"b"});
  EXPECT_EQ(g.before("d", Evidence::kGraphOrder), (Labels{"a", "c"}));
}

TEST(StreamOrder, OfTwoLaunchesHoldsEveryRowThatNobodyInTheFirstWaitedFor) {
  const TraceGraph g({call("cudaGraphLaunch", 1, 2, 11), row("a", 10, 10, 11), row("b", 12, 4, 11),
                      launch(4, 1, 12), row("next", 21, 5, 12)});
  EXPECT_EQ(g.before("next", Evidence::kStreamOrder), (Labels{"a", "b"}));
}

TEST(StreamOrder, RowsThatOverlapAreCountedAndStayOrdered) {
  const TraceGraph g(
      {launch(1, 1, 11), launch(3, 1, 12), row("a", 5, 10, 11), row("b", 13, 5, 12)});
  EXPECT_EQ(g.before("b", Evidence::kStreamOrder), Labels{"a"});
  EXPECT_EQ(g.diagnostics.count("overlap"), 1U);
}

TEST(Waits, AnEventPassesOnWhatItsStreamWaitedFor) {
  const auto wait = [](double ts, int correlation, int on, int from, int record) {
    return sync("Stream Wait Event", ts, correlation, on,
                fmt::format(R"("wait_on_stream": {}, "wait_on_cuda_event_record_corr_id": {})",
                            from, record));
  };
  // 7 -> 8 -> 9, and nothing runs on 8.
  const TraceGraph g({launch(1, 1, 11), row("k7", 5, 10, 11), call("cudaEventRecord", 3, 1, 12),
                      call("cudaStreamWaitEvent", 4, 1, 13), wait(4, 13, 8, 7, 12),
                      call("cudaEventRecord", 5, 1, 14), call("cudaStreamWaitEvent", 6, 1, 15),
                      wait(6, 15, 9, 8, 14), launch(8, 1, 16), row("k9", 16, 5, 16, 9)});
  EXPECT_EQ(g.before("k9", Evidence::kEventWait), Labels{"k7"});
}

TEST(Waits, WhatAnEarlierNodeOfTheLaneWaitedForIsNotWaitedForAgain) {
  const TraceGraph g({launch(1, 1, 11), row("k", 5, 10, 11),
                      call("cudaStreamSynchronize", 6, 10, 12), sync("Stream Sync", 6, 12, 7),
                      call("cudaDeviceSynchronize", 20, 2, 13), sync("Context Sync", 20, 13, -1)});
  EXPECT_EQ(g.before("cudaStreamSynchronize@14", Evidence::kSynchronisation), Labels{"k"});
  EXPECT_EQ(g.before("cudaDeviceSynchronize@19", Evidence::kSynchronisation), Labels{});
}

TEST(Waits, AWaitThatTimesContradictIsDroppedAndCounted) {
  const TraceGraph g({launch(1, 1, 11), row("k", 5, 100, 11),
                      call("cudaStreamSynchronize", 6, 10, 12), sync("Stream Sync", 6, 12, 7)});
  EXPECT_EQ(g.before("cudaStreamSynchronize@5", Evidence::kSynchronisation), Labels{});
  EXPECT_EQ(g.duration_us("cudaStreamSynchronize@5"), 10);
  EXPECT_EQ(g.diagnostics.count("backward-edge"), 1U);
}

std::string all_reduce(double ts, double dur, int correlation, int stream, const char* group) {
  return row(fmt::format("ncclDevKernel_AllReduce_{}", correlation), ts, dur, correlation, stream,
             fmt::format(R"("Collective name": "allreduce", "Process Group Name": "{}")", group));
}

TEST(GroupOrder, CollectivesOfOneGroupFollowEachOtherAcrossStreams) {
  const TraceGraph g({launch(1, 1, 11), launch(3, 1, 12), launch(5, 1, 13),
                      all_reduce(10, 5, 11, 20, "0"), all_reduce(16, 5, 12, 21, "0"),
                      all_reduce(17, 5, 13, 22, "1")});
  EXPECT_EQ(g.before("ncclDevKernel_AllReduce_12", Evidence::kGroupOrder),
            Labels{"ncclDevKernel_AllReduce_11"});
  EXPECT_EQ(g.before("ncclDevKernel_AllReduce_13", Evidence::kGroupOrder), Labels{});
}

TEST(HandOff, ABackwardThreadWorksWhileTheForwardThreadStartsNothing) {
  const std::string fwd = R"("Fwd thread id": 1)";
  const TraceGraph g({op("fwd", 0, 10, 1, 100), op("bwd1", 12, 5, 2, 200, fwd),
                      op("bwd2", 18, 5, 3, 200, fwd), op("step", 30, 5, 4, 100)});
  EXPECT_EQ(g.before("bwd1", Evidence::kThreadHandOff), Labels{"fwd"});
  EXPECT_EQ(g.before("step", Evidence::kThreadHandOff), Labels{"bwd2"});
}

TEST(HandOff, AThreadThatWorksBesideTheOtherIsNotHandedOffTo) {
  const TraceGraph g(
      {op("fwd", 0, 10, 1, 100), op("loader", 5, 50, 2, 200), op("more", 20, 5, 3, 100)});
  EXPECT_EQ(g.before("loader", Evidence::kThreadHandOff), Labels{});
  EXPECT_EQ(g.before("more", Evidence::kThreadHandOff), Labels{});
}

}  // namespace
}  // namespace nadi
