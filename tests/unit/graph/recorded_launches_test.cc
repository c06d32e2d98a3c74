#include "nadi/graph/recorded_launches.h"

#include <gtest/gtest.h>

#include "tests/unit/graph/trace_graph.h"
#include "tests/unit/link/cuda_graph_text.h"

namespace nadi::test {
namespace {

/// k1 on stream 7, then k2 there and k3 on stream 32, both before k4, at `ts` of a launch.
Lines fork_and_join(double ts, std::int64_t correlation) {
  return {call("cudaGraphLaunch", ts, 5, correlation), graph_row(1, ts + 10, 5, correlation),
          graph_row(2, ts + 16, 5, correlation), graph_row(3, ts + 17, 9, correlation, 32),
          graph_row(4, ts + 30, 5, correlation)};
}
Lines dependencies_of_fork_and_join(double ts, int number) {
  return joined(
      {dependency(number, ts + 15, ts + 16), dependency(number + 1, ts + 15, ts + 17, 7, 32),
       dependency(number + 2, ts + 21, ts + 30), dependency(number + 3, ts + 26, ts + 30, 32)});
}

TEST(RecordedLaunches, OneRecordedLaunchTellsTheOthersOfItsGraph) {
  const TraceGraph g(
      joined({fork_and_join(0, 11), fork_and_join(100, 12), dependencies_of_fork_and_join(0, 0)}));
  EXPECT_EQ(g.before("k4", Evidence::kGraphDependency), (Labels{"k2", "k3", "k2", "k3"}));
}

TEST(RecordedLaunches, WhatALaunchContradictsCountsWhereItWasRecorded) {
  const Lines other = {call("cudaGraphLaunch", 100, 5, 12), graph_row(1, 110, 5, 12),
                       graph_row(2, 116, 5, 12), graph_row(3, 116, 9, 12, 32),
                       graph_row(4, 130, 5, 12)};
  Diagnostics diagnostics;
  const LinkedTrace linked =
      link(joined({fork_and_join(0, 11), other, dependencies_of_fork_and_join(0, 0),
                   dependency(9, 115, 116)}),
           {}, "", &diagnostics);
  EXPECT_EQ(diagnostics.count(Finding::kGraphDependenciesContradict), 3U);
  EXPECT_EQ(linked.graph_dependencies.size(), 5U);
}

TEST(RecordedLaunches, AGraphOfVeryManyDependenciesKeepsThoseOfEachLaunch) {
  Lines events = {call("cudaGraphLaunch", 0, 5, 11), graph_row(200, 300, 5, 11)};
  for (int i = 0; i < 200; ++i) {
    events.push_back(graph_row(i, 10 + i, 0.5, 11));
    for (const std::string& end : dependency(i, 10.5 + i, 300)) events.push_back(end);
  }
  for (int i = 0; i < 300; ++i) events.push_back(graph_row(200, 400 + 10 * i, 5, 12 + i));
  Diagnostics diagnostics;
  const LinkedTrace linked = link(events, {}, "", &diagnostics);
  EXPECT_EQ(diagnostics.count(Finding::kGraphDependenciesTooMany), 1U);
  EXPECT_EQ(linked.graph_dependencies.size(), 200U);
}

TEST(RecordedLaunches, ARowWhoseDependencyTimeContradictsFollowsTheLaunch) {
  const TraceGraph g(joined({{op("a", 0, 8), call("cudaGraphLaunch", 1, 5, 11),
                              graph_row(1, 30, 5, 11), graph_row(2, 10, 5, 11, 32)},
                             dependency(0, 35, 10, 7, 32)}));
  EXPECT_EQ(g.before("k2", Evidence::kGraphDependency), Labels{});
  EXPECT_EQ(g.before("k2", Evidence::kLaunch), Labels{"a"});
  EXPECT_EQ(g.diagnostics.count(Finding::kBackwardEdge), 1U);
}

TEST(RecordedLaunches, RowsOfAPerfettoTraceThatMayBeCutAreOrderedByTimeAndMarked) {
  DeviceTrace device = device_trace({call("cudaGraphLaunch", 0, 5, 11), graph_row(1, 10, 5, 11),
                                     graph_row(2, 15, 5, 11), graph_row(3, 21, 5, 11)});
  device.is_perfetto = true;
  Diagnostics diagnostics;
  const LinkedTrace linked = link_traces({}, std::move(device), {}, diagnostics);
  const BuiltGraph graph = build_graph(linked, TraceGraph::without_delays(), diagnostics);
  std::vector<Inference> inferred;
  for (auto [edge, end] = edges(graph.structure); edge != end; ++edge)
    if (graph.structure[*edge].evidence == Evidence::kGraphOrder)
      inferred.push_back(graph.structure[*edge].inferred);
  EXPECT_EQ(inferred, (std::vector{Inference::kTiming, Inference::kNone}));
}

TEST(RecordedLaunches, ProgrammaticLaunchesOverlapAndAreCounted) {
  const TraceGraph g(joined(
      {{call("cudaGraphLaunch", 0, 5, 11), graph_row(1, 10, 20, 11), graph_row(2, 16, 30, 11)},
       dependency(0, 30, 16)}));
  EXPECT_EQ(g.before("k2", Evidence::kGraphDependency), Labels{"k1"});
  EXPECT_EQ(g.diagnostics.count(Finding::kOverlap), 1U);
}

TEST(RecordedLaunches, WhatFollowsARecordedLaneOfAPartlyRecordedLaunchIsNoGuess) {
  Lines events = {call("cudaGraphLaunch", 0, 2, 11), launch(3, 1, 12), graph_row(1, 10, 5, 11),
                  graph_row(2, 16, 5, 11, 32), row("next", 30, 5, 12, 32)};
  for (int i = 0; i < 6; ++i) {  // of a child graph, on two more lanes
    events.push_back(graph_row(90 + i, 16 + 6 * i, 5, 11, 36));
    events.push_back(graph_row(96 + i, 17 + 6 * i, 5, 11, 40));
  }
  const TraceGraph g(joined({events, dependency(0, 15, 16, 7, 32)}));
  EXPECT_EQ(g.before("next", Evidence::kStreamOrder), Labels{"k2"});
  EXPECT_EQ(g.before("next", Evidence::kGraphOrder), Labels{});
}

TEST(RecordedLaunches, TheStreamGoesOnWhenAllRowsOfItsLaunchHaveEnded) {
  Lines side_last = {call("cudaGraphLaunch", 0, 5, 11), graph_row(1, 10, 5, 11),
                     graph_row(2, 16, 9, 11, 32), launch(20, 3, 12), row("after", 26, 5, 12)};
  const TraceGraph g(joined({side_last, dependency(0, 15, 16, 7, 32)}));
  EXPECT_EQ(g.before("after", Evidence::kStreamOrder), Labels{"k1"});
  EXPECT_EQ(g.before("after", Evidence::kGraphOrder), Labels{"k2"});
}

TEST(RecordedLaunches, AChainAcrossLanesWaitsForThemWithItsFirstRowsOnly) {
  Lines events;
  for (int launch = 0; launch < 2; ++launch) {
    const double ts = 1000.0 * launch;
    events.push_back(call("cudaGraphLaunch", ts, 5, 11 + launch));
    for (int i = 0; i < 10; ++i)
      events.push_back(graph_row(i, ts + 10 + 10 * i, 5, 11 + launch, 7 + i % 2));
    for (int i = 1; i < 10; ++i)
      for (const std::string& end :
           dependency(10 * launch + i, ts + 5 + 10 * i, ts + 10 + 10 * i, 8 - i % 2, 7 + i % 2))
        events.push_back(end);
  }
  const TraceGraph g(events);
  EXPECT_EQ(g.before("k0", Evidence::kStreamOrder), Labels{"k8"});
  EXPECT_EQ(g.before("k1", Evidence::kStreamOrder), Labels{"k9"});
  for (const char* row : {"k2", "k3", "k9"})
    EXPECT_EQ(g.before(row, Evidence::kStreamOrder), Labels{});
}

TEST(RecordedLaunches, RootsOnOtherLanesWaitForTheStreamOfTheLaunch) {
  const Lines events = {
      launch(0, 3, 10),        row("before", 4, 5, 10),     call("cudaGraphLaunch", 4, 5, 11),
      graph_row(1, 10, 5, 11), graph_row(2, 11, 9, 11, 32), graph_row(3, 30, 5, 11)};
  const TraceGraph g(joined({events, dependency(0, 15, 30), dependency(1, 20, 30, 32, 7)}));
  EXPECT_EQ(g.before("k2", Evidence::kGraphOrder), Labels{"before"});
}

TEST(RecordedLaunches, ASynchronisationWaitsForRowsThatOtherRowsOfTheirLaneDoNotWaitFor) {
  const Lines events = {call("cudaGraphLaunch", 0, 5, 11),
                        graph_row(1, 10, 5, 11),
                        graph_row(2, 11, 9, 11, 32),
                        graph_row(3, 30, 5, 11),
                        call("cudaStreamSynchronize", 6, 34, 12),
                        sync("Stream Sync", 6, 12, 7)};
  const TraceGraph g(joined({events, dependency(0, 20, 30, 32, 7)}));
  EXPECT_EQ(g.before("cudaStreamSynchronize@35", Evidence::kSynchronisation), (Labels{"k1", "k3"}));
}

TEST(RecordedLaunches, HostNodesAreWorkOfAHostLane) {
  const std::string host_node =
      row("HostNode: cb", 16, 9, 11, 7, R"("graph id": 3, "graph node id": 2)", "graph_host_node");
  const TraceGraph g(joined({{call("cudaGraphLaunch", 0, 5, 11), graph_row(1, 10, 5, 11), host_node,
                              graph_row(3, 27, 5, 11)},
                             dependency(0, 15, 16),
                             dependency(1, 25, 27)}));
  const Lane& lane = g.linked.lanes[g.graph.trace_lane[g.graph.lane[g.vertex("HostNode: cb")]]];
  EXPECT_FALSE(lane.is_device);
  EXPECT_EQ(lane.name, "host nodes of stream 7");
  EXPECT_EQ(g.before("k3", Evidence::kGraphDependency), Labels{"HostNode: cb"});
}

}  // namespace
}  // namespace nadi::test
