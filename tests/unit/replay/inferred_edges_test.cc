#include "nadi/converters/inferred_edges.h"

#include <gtest/gtest.h>

#include "nadi/sim_bridge/replay/critical_path.h"
#include "tests/unit/replay/graph_builder.h"

namespace nadi {
namespace {

Ns makespan(const std::vector<ChakraGraph>& graphs) {
  Diagnostics diagnostics;
  const ReplayJob job = make_replay_job(graphs, diagnostics);
  return span_of(job, replay(job)).length();
}

void tell(ChakraGraph& graph, std::uint32_t row, const char* evidence) {
  graph.edge_evidence.resize(graph.size(), StringId::kEmpty);
  graph.edge_evidence[row] = graph.strings.intern(evidence);
}

/// An op of 10 ns launches a row of 100 ns; another of 50 ns on a second stream waits for it, with
/// a latency of 5 ns where `has_delay`.
std::vector<ChakraGraph> two_streams(const char* evidence, bool has_delay = false) {
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
  std::vector<ChakraGraph> graphs;
  graphs.push_back(builder.take());
  tell(graphs[0], second, evidence);
  return graphs;
}

TEST(InferredEdges, LeftOutLetRunSideBySideWhatWaitedForThem) {
  for (const char* evidence :
       {"2=event wait?", "2=event wait?pattern", "1=launch;2=event wait?place"}) {
    std::vector<ChakraGraph> graphs = two_streams(evidence);
    EXPECT_EQ(makespan(graphs), 160);
    InferredEdges inferred(graphs);
    EXPECT_EQ(inferred.count(), 1U);
    inferred.toggle();
    EXPECT_EQ(makespan(graphs), 110);
    inferred.toggle();
    EXPECT_EQ(makespan(graphs), 160);
  }
}

TEST(InferredEdges, AreNotThoseThatTheTraceTells) {
  for (const char* evidence : {"", "2=event wait"}) {
    std::vector<ChakraGraph> graphs = two_streams(evidence);
    InferredEdges inferred(graphs);
    EXPECT_EQ(inferred.count(), 0U);
    inferred.toggle();
    EXPECT_EQ(makespan(graphs), 160);
  }
}

TEST(InferredEdges, DoNotComeBackThroughTheDelayBehindThem) {
  std::vector<ChakraGraph> graphs = two_streams("2=event wait?timing", true);
  EXPECT_EQ(makespan(graphs), 165);
  InferredEdges inferred(graphs);
  EXPECT_EQ(inferred.count(), 1U);
  inferred.toggle();
  EXPECT_EQ(makespan(graphs), 110);
}

TEST(InferredEdges, LeaveCtrlDependenciesAlone) {
  std::vector<ChakraGraph> graphs = two_streams("2=event wait?");
  // Of the last row the op becomes a ctrl dependency, which come behind the data ones.
  ChakraGraph& graph = graphs[0];
  std::swap(graph.dependency[graph.ctrl_begin[2] - 1], graph.dependency[graph.ctrl_begin[2] - 2]);
  --graph.ctrl_begin[2];
  InferredEdges inferred(graphs);
  inferred.toggle();
  EXPECT_TRUE(graph.data_dependencies(2).empty());
  ASSERT_EQ(graph.ctrl_dependencies(2).size(), 1U);
  EXPECT_EQ(graph.ctrl_dependencies(2)[0], 0U);
}

}  // namespace
}  // namespace nadi
