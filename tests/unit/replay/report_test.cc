#include "nadi/sim_bridge/replay/report.h"

#include <gtest/gtest.h>

#include "tests/unit/replay/graph_builder.h"

namespace nadi {
namespace {

ReplayReport report_of(Graph graph) {
  std::vector<Graph> graphs;
  graphs.push_back(std::move(graph));
  Diagnostics diagnostics;
  const ReplayJob job = make_replay_job(graphs, diagnostics);
  return make_replay_report(job, measured_times(job), replay(job), nullptr, {});
}

Ns of_kind(const ReplayReport& report, PathKind kind) {
  return report.path.by_kind[static_cast<std::size_t>(kind)];
}

TEST(ReplayReport, ComparesTheMakespanWithTheMeasuredSpan) {
  GraphBuilder graph;
  graph.host(1, 1000, 100);
  graph.host(1, 1150, 50, {0});  // 50 ns that nothing explains
  const ReplayReport report = report_of(graph.take());
  EXPECT_EQ(report.measured_ns, 200);
  EXPECT_EQ(report.replayed_ns, 150);
  EXPECT_DOUBLE_EQ(report.error_percent().value(), -25);
}

TEST(ReplayReport, TellsExplainedFromUnexplainedIdleTimeWhateverTheDelays) {
  const auto lane_of_device = [](bool has_delay) {
    GraphBuilder graph;
    graph.host(1, 0, 100);
    std::uint32_t before = 0;
    if (has_delay) before = graph.delay(1, 100, 20, {0});
    graph.row(7, 120, 30, {before});
    return report_of(graph.take()).lane_sums[1].use;
  };
  for (const bool has_delay : {false, true}) {
    const LaneUse use = lane_of_device(has_delay);
    ASSERT_TRUE(use.measured);
    EXPECT_EQ(use.measured->busy_ns, 30);
    EXPECT_EQ(use.measured->explained_ns, 100);
    EXPECT_EQ(use.measured->unexplained_ns, 20);
    EXPECT_EQ(use.replayed_idle_ns, has_delay ? 120 : 100);
  }
}

TEST(ReplayReport, NamesTheNodesThatExplainMostOfTheDifference) {
  GraphBuilder graph;
  graph.host(1, 0, 100);
  graph.host(1, 110, 10, {0}, "late by 10");
  graph.host(1, 190, 10, {1}, "late by 70");
  graph.host(1, 200, 10, {2}, "on time");
  const ReplayReport report = report_of(graph.take());
  ASSERT_EQ(report.differences.size(), 2U);
  EXPECT_EQ(report.differences[0].name, "late by 70");
  EXPECT_EQ(report.differences[0].from_ns, 80);
  EXPECT_EQ(report.differences[0].to_ns, 10);
  EXPECT_EQ(report.differences[0].lane, "thread 1");
  EXPECT_EQ(report.differences[1].name, "late by 10");
}

TEST(ReplayReport, SplitsTheCriticalPathByKind) {
  GraphBuilder graph;
  graph.host(1, 0, 100);
  graph.row(7, 100, 1, {}, "not on the path");
  graph.host(1, 100, 10, {0});
  graph.row(7, 110, 40, {2}, "gemm");
  graph.row(7, 150, 60, {3}, "gemm");
  graph.collective("0", 210, 300, {4});
  graph.delay(1, 510, 5, {5});
  graph.host(1, 515, 1, {6});
  const ReplayReport report = report_of(graph.take());
  EXPECT_EQ(report.replayed_ns, 516);
  EXPECT_EQ(of_kind(report, PathKind::kHost), 111);
  EXPECT_EQ(of_kind(report, PathKind::kKernel), 100);
  EXPECT_EQ(of_kind(report, PathKind::kCommunication), 300);
  EXPECT_EQ(of_kind(report, PathKind::kDelay), 5);
  EXPECT_EQ(of_kind(report, PathKind::kGap), 0);
  EXPECT_EQ(report.path.kernels, (std::map<std::string, Ns>{{"gemm", 100}}));
}

TEST(ReplayReport, CountsTheNodesThatAScaleAppliesTo) {
  GraphBuilder graph;
  graph.host(1, 0, 100);
  graph.delay(1, 100, 5, {0});
  graph.row(7, 100, 1, {}, "gemm");
  const Graph taken = graph.take();
  const std::vector<Scale> scales = {parse_scale("host=2"), parse_scale("kernel:GEMM=2"),
                                     parse_scale("stream:7=2")};
  EXPECT_EQ(count_scaled(std::span(&taken, 1), scales), (std::vector<std::size_t>{1, 0, 1}));
}

TEST(ReplayReport, OfASingleNodeThatStartsAtZeroIsMeasured) {
  GraphBuilder graph;
  graph.host(1, 0, 100);
  EXPECT_EQ(report_of(graph.take()).measured_ns, 100);
}

TEST(ReplayReport, OfAGraphWithoutStartTimesHasNothingMeasured) {
  GraphBuilder graph;
  graph.without_starts();
  graph.host(1, 0, 100);
  graph.host(2, 0, 30, {0});
  const ReplayReport report = report_of(graph.take());
  EXPECT_FALSE(report.is_measured());
  EXPECT_FALSE(report.measured_ns || report.idle_ns || report.explained_ns);
  EXPECT_FALSE(report.ranks.front().measured_ns);
  EXPECT_FALSE(report.error_percent());
  EXPECT_TRUE(report.differences.empty());
  EXPECT_EQ(report.replayed_ns, 130);
  ASSERT_EQ(report.lane_sums.size(), 2U);
  for (const ReplayLane& lane : report.lane_sums) EXPECT_FALSE(lane.use.measured) << lane.name;
  EXPECT_EQ(report.lane_sums[1].use.replayed_busy_ns, 30);
  EXPECT_EQ(report.lane_sums[1].use.replayed_idle_ns, 100);
}

TEST(ReplayReport, OfJobsWithoutLengthOrNodesButDelaysIsZeros) {
  GraphBuilder graph;
  graph.delay(1, 0, 10);
  const ReplayReport report = report_of(graph.take());
  EXPECT_EQ(report.measured_ns, 0);
  EXPECT_EQ(report.error_percent(), 0);
}

}  // namespace
}  // namespace nadi
