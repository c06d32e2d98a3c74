#include "nadi/converters/inferred_edges.h"

#include <gtest/gtest.h>

#include "nadi/sim_bridge/replay/critical_path.h"
#include "tests/unit/replay/graph_builder.h"

namespace nadi {
namespace {

Ns makespan(const std::vector<Graph>& graphs) {
  Diagnostics diagnostics;
  const ReplayJob job = make_replay_job(graphs, diagnostics);
  return span_of(job, replay(job)).length();
}

/// An op of 10 ns launches a row of 100 ns; another of 50 ns on a second stream waits for it, as
/// `wait` tells, with a latency of 5 ns where `has_delay`.
std::vector<Graph> two_streams(const Edge& wait, bool has_delay = false) {
  GraphBuilder builder;
  const auto op = builder.host(1, 0, 10);
  const auto first = builder.row(7, 10, 100, {op});
  std::uint32_t second = 0;
  if (has_delay) {
    const auto latency = builder.device_delay(9, 110, 5, {first});
    second = builder.row(9, 115, 50, {op, first, latency});
  } else {
    second = builder.row(9, 110, 50, {op, first});
  }
  builder.tell(first, second, wait);
  std::vector<Graph> graphs;
  graphs.push_back(builder.take());
  return graphs;
}

TEST(InferredEdges, LeftOutLetRunSideBySideWhatWaitedForThem) {
  for (const Inference inferred : {Inference::kPattern, Inference::kPlace, Inference::kTiming}) {
    std::vector<Graph> graphs = two_streams({Evidence::kEventWait, inferred});
    EXPECT_EQ(makespan(graphs), 160);
    InferredEdges edges(graphs);
    EXPECT_EQ(edges.count(), 1U);
    edges.toggle();
    EXPECT_EQ(makespan(graphs), 110);
    edges.toggle();
    EXPECT_EQ(makespan(graphs), 160);
  }
}

TEST(InferredEdges, AreNotThoseThatTheTraceTells) {
  std::vector<Graph> graphs = two_streams({Evidence::kEventWait});
  InferredEdges inferred(graphs);
  EXPECT_EQ(inferred.count(), 0U);
  inferred.toggle();
  EXPECT_EQ(makespan(graphs), 160);
}

TEST(InferredEdges, DoNotComeBackThroughTheDelayBehindThem) {
  std::vector<Graph> graphs = two_streams({Evidence::kEventWait, Inference::kTiming}, true);
  EXPECT_EQ(makespan(graphs), 165);
  InferredEdges inferred(graphs);
  EXPECT_EQ(inferred.count(), 1U);
  inferred.toggle();
  EXPECT_EQ(makespan(graphs), 110);
}

TEST(InferredEdges, LeaveCtrlDependenciesAlone) {
  std::vector<Graph> graphs = two_streams({Evidence::kEventWait, Inference::kTiming});
  Graph& graph = graphs[0];
  // The last row's launch by the op becomes its nesting in it.
  graph.structure[edge(0U, 2U, graph.structure).first] = {Evidence::kNesting, Inference::kNone,
                                                          true};
  InferredEdges inferred(graphs);
  inferred.toggle();
  EXPECT_TRUE(graph.data_dependencies(2).empty());
  ASSERT_EQ(graph.ctrl_dependencies(2).size(), 1U);
  EXPECT_EQ(*graph.ctrl_dependencies(2).begin(), 0U);
}

}  // namespace
}  // namespace nadi
