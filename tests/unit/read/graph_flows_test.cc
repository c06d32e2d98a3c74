#include "nadi/read/graph_flows.h"

#include <gtest/gtest.h>

#include "tests/unit/link/cuda_graph_text.h"

namespace nadi::test {
namespace {

struct ReadGraph {
  Diagnostics diagnostics;
  DeviceTrace trace;

  explicit ReadGraph(const Lines& events) {
    const std::string text = trace_text(events);
    ByteSource source = source_of_bytes(text, "trace");
    trace = read_device_trace(source, diagnostics);
  }

  /// "11: k1 > k2", in the order of their targets.
  Lines dependencies() const {
    Lines found;
    for (const GraphDependency& one : trace.graph_dependencies)
      found.push_back(fmt::format("{}: {} > {}", trace.rows.correlation[one.target],
                                  trace.strings[trace.rows.name[one.source]],
                                  trace.strings[trace.rows.name[one.target]]));
    return found;
  }
};

/// k1 and k2 end together on two streams; k3 waits for one of them in the launch at 100.
Lines two_that_end_together(double other_end_of_k2) {
  return {graph_row(1, 10, 5, 11),
          graph_row(2, 11, 4, 11),
          graph_row(3, 16, 5, 11),
          graph_row(1, 110, 5, 12),
          graph_row(2, 111, other_end_of_k2 - 111, 12),
          graph_row(3, 120, 5, 12)};
}

TEST(GraphFlows, JoinTheRowThatEndsWithTheOneThatStarts) {
  const ReadGraph g(joined(
      {{graph_row(1, 10, 5, 11), graph_row(2, 16, 5, 11, 32)}, dependency(0, 15, 16, 7, 32)}));
  EXPECT_EQ(g.dependencies(), Lines{"11: k1 > k2"});
  EXPECT_TRUE(g.diagnostics.table().empty());
}

TEST(GraphFlows, MayStandBeforeTheRowsAndRunBackwardsInTime) {
  const ReadGraph g(
      joined({dependency(0, 15, 12), {graph_row(1, 10, 5, 11), graph_row(2, 12, 5, 11)}}));
  EXPECT_EQ(g.dependencies(), Lines{"11: k1 > k2"});
}

TEST(GraphFlows, StampsMayBeTwoNanosecondsOff) {
  const Lines rows = {graph_row(1, 10, 5, 11), graph_row(2, 16, 5, 11)};
  EXPECT_EQ(ReadGraph(joined({rows, dependency(0, 15.002, 15.998)})).dependencies().size(), 1U);
  const ReadGraph far(joined({rows, dependency(0, 15.003, 16)}));
  EXPECT_EQ(far.dependencies(), Lines{});
  EXPECT_EQ(far.diagnostics.count(Finding::kGraphDependencyUnmatched), 1U);
}

TEST(GraphFlows, OfAnotherLaunchOrGraphAreNotJoined) {
  const ReadGraph g(
      joined({{graph_row(1, 10, 5, 11), graph_row(2, 16, 5, 12)}, dependency(0, 15, 16)}));
  EXPECT_EQ(g.dependencies(), Lines{});
  EXPECT_EQ(g.diagnostics.count(Finding::kGraphDependencyUnmatched), 1U);
}

TEST(GraphFlows, OfRowsWithoutCorrelationAreLeftOutAndCounted) {
  const ReadGraph g(
      joined({{graph_row(1, 10, 5, 0), graph_row(2, 16, 5, 0)}, dependency(0, 15, 16)}));
  EXPECT_EQ(g.dependencies(), Lines{});
  EXPECT_EQ(g.diagnostics.count(Finding::kGraphDependencyAcrossLaunches), 1U);
}

TEST(GraphFlows, ThatFitTwoPairsAreToldByAnotherLaunch) {
  const ReadGraph g(
      joined({two_that_end_together(118), dependency(0, 15, 16), dependency(1, 115, 120)}));
  EXPECT_EQ(g.dependencies(), (Lines{"11: k1 > k3", "12: k1 > k3"}));
  EXPECT_TRUE(g.diagnostics.table().empty());
}

TEST(GraphFlows, ThatFitTwoPairsInEveryLaunchAreLeftOutAndCounted) {
  const ReadGraph g(
      joined({two_that_end_together(115), dependency(0, 15, 16), dependency(1, 115, 120)}));
  EXPECT_EQ(g.dependencies(), Lines{});
  EXPECT_EQ(g.diagnostics.count(Finding::kGraphDependencyAmbiguous), 2U);
}

TEST(GraphFlows, AsManyAsThePairsThatFitMeanAllOfThem) {
  const ReadGraph g(
      joined({two_that_end_together(115), dependency(0, 15, 16), dependency(1, 15, 16),
              dependency(2, 115, 120), dependency(3, 115, 120)}));
  EXPECT_EQ(g.dependencies(), (Lines{"11: k1 > k3", "11: k2 > k3", "12: k1 > k3", "12: k2 > k3"}));
}

TEST(GraphFlows, APairThatALaunchWithBothRowsLacksIsNone) {
  // At 10, k1 ends when k2, without length, is there: two rows may have waited for either.
  const Lines first = {graph_row(1, 10, 5, 11), graph_row(2, 15, 0, 11), graph_row(3, 16, 4, 11),
                       graph_row(4, 16, 9, 11, 32)};
  const Lines second = {graph_row(1, 110, 5, 12), graph_row(2, 117, 0, 12),
                        graph_row(3, 120, 4, 12), graph_row(4, 130, 9, 12, 32)};
  const ReadGraph g(joined({first, dependency(0, 15, 15), dependency(1, 15, 16),
                            dependency(2, 15, 16, 7, 32), second, dependency(3, 115, 117),
                            dependency(4, 117, 120), dependency(5, 115, 130, 7, 32)}));
  EXPECT_EQ(g.dependencies(), (Lines{"11: k1 > k2", "11: k2 > k3", "11: k1 > k4", "12: k1 > k2",
                                     "12: k2 > k3", "12: k1 > k4"}));
}

TEST(GraphFlows, OfANodeThatRanTwiceAreOfItsLastRow) {
  const ReadGraph g(joined({{graph_row(1, 10, 5, 11), graph_row(2, 16, 4, 11),
                             graph_row(2, 30, 4, 11), graph_row(3, 36, 4, 11)},
                            dependency(0, 15, 30),
                            dependency(1, 34, 36)}));
  ASSERT_EQ(g.dependencies(), (Lines{"11: k1 > k2", "11: k2 > k3"}));
  EXPECT_EQ(g.trace.graph_dependencies[0].target.value, 2U);
}

TEST(GraphFlows, WaitsThatNameTheirSourceAreExact) {
  const ReadGraph g({graph_row(1, 10, 5, 11, 7, R"("event_id": 41)"),
                     graph_row(2, 10, 5, 11, 32, R"("event_id": 42)"),
                     graph_row(3, 16, 5, 11, 7, R"("event_id": 43, "event_wait_ids": [42])"),
                     graph_row(4, 22, 5, 11, 7, R"("event_id": 44, "event_wait_ids": [43, 99])"),
                     graph_row(1, 30, 5, 12, 7, R"("event_id": 45, "event_wait_ids": [44])")});
  EXPECT_EQ(g.dependencies(), (Lines{"11: k2 > k3", "11: k3 > k4"}));
  EXPECT_EQ(g.diagnostics.count(Finding::kGraphDependencyUnmatched), 1U);
  EXPECT_EQ(g.diagnostics.count(Finding::kGraphDependencyAcrossLaunches), 1U);
}

TEST(GraphFlows, AnIdThatTwoRowsHaveNamesNone) {
  const ReadGraph g({graph_row(1, 10, 5, 11, 7, R"("event_id": 41)"),
                     graph_row(2, 16, 5, 11, 7, R"("event_id": 41)"),
                     graph_row(3, 22, 5, 11, 7, R"("event_id": 43, "event_wait_ids": [41])")});
  EXPECT_EQ(g.dependencies(), Lines{});
  EXPECT_EQ(g.diagnostics.count(Finding::kGraphDependencyAmbiguous), 1U);
}

TEST(GraphFlows, ManyRowsAtOneTimeAreAmbiguousAndCostNoTime) {
  Lines rows;
  for (int i = 0; i < 2000; ++i) rows.push_back(graph_row(i + 1, 10, 0, 11));
  for (int i = 0; i < 2000; ++i)
    for (const std::string& end : dependency(i, 10, 10)) rows.push_back(end);
  const ReadGraph g(rows);
  EXPECT_EQ(g.dependencies(), Lines{});
  EXPECT_EQ(g.diagnostics.count(Finding::kGraphDependencyAmbiguous), 2000U);
}

TEST(GraphFlows, AFlowOfOneEndIsCounted) {
  Lines events = {graph_row(1, 10, 5, 11)};
  events.push_back(dependency(0, 15, 16).front());
  EXPECT_EQ(ReadGraph(events).diagnostics.count(Finding::kGraphDependencyUnmatched), 1U);
}

TEST(GraphNodeIds, OfBothProfilersAreTheSame) {
  const std::string kinetos =
      row("a", 10, 5, 11, 7, R"("graph id": 3, "graph node id": 12884901890)");
  const ReadGraph g({kinetos, graph_row(2, 20, 5, 11)});
  EXPECT_EQ(g.trace.rows.graph_node_id[0], g.trace.rows.graph_node_id[1]);
}

}  // namespace
}  // namespace nadi::test
