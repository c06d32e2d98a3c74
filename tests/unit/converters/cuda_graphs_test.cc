#include "nadi/converters/cuda_graphs.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "nadi/converters/report_json.h"
#include "tests/unit/graph/trace_graph.h"
#include "tests/unit/link/cuda_graph_text.h"

namespace nadi::test {
namespace {

/// Two launches of graph 3, whose k1 goes before k2 and k3, and one of graph 4.
Lines launches() {
  const std::string other = R"("graph id": 4, "graph node id": 1)";
  return joined(
      {{call("cudaGraphLaunch", 0, 5, 11), graph_row(1, 10, 5, 11), graph_row(2, 16, 5, 11),
        graph_row(3, 16, 6, 11, 32), call("cudaGraphLaunch", 30, 5, 12), graph_row(1, 40, 5, 12),
        graph_row(2, 46, 5, 12), graph_row(3, 46, 6, 12, 32), row("other", 60, 5, 13, 40, other)},
       dependency(0, 15, 16),
       dependency(1, 15, 16, 7, 32)});
}

TEST(CudaGraphs, AreCountedByWhatIsKnownOfThem) {
  const TraceGraph g(joined({{op("a", 0, 50)}, launches()}));
  const auto graphs = report_cuda_graphs(g.linked, g.graph);
  ASSERT_EQ(graphs.size(), 2U);
  EXPECT_EQ(graphs[0].id, 3U);
  EXPECT_EQ(graphs[0].launches, 2U);
  EXPECT_EQ(graphs[0].nodes, 3U);
  EXPECT_EQ(graphs[0].dependencies, 2U);
  EXPECT_EQ(graphs[0].roots, 1U);
  EXPECT_EQ(graphs[0].rows_without_predecessor, 0U);
  EXPECT_EQ(graphs[1].dependencies, 0U);
  EXPECT_EQ(graphs[1].rows_without_predecessor, 1U);  // neither a launch nor a row before it
}

TEST(CudaGraphs, StayTheSameInTheReport) {
  const TraceGraph g(launches());
  ConvertReport report;
  report.cuda_graphs = report_cuda_graphs(g.linked, g.graph);
  const ConvertReport again = parse_report_json(report_json(report));
  ASSERT_EQ(again.cuda_graphs.size(), 2U);
  EXPECT_EQ(again.cuda_graphs[0].launches, 2U);
  EXPECT_EQ(again.cuda_graphs[0].dependencies, 2U);
  EXPECT_EQ(again.cuda_graphs[1].rows_without_predecessor, 1U);
}

TEST(CudaGraphs, AreNoneWhereNoRowIsOfOne) {
  const TraceGraph g({launch(0, 3, 11), row("k", 5, 5, 11)});
  EXPECT_TRUE(report_cuda_graphs(g.linked, g.graph).empty());
}

}  // namespace
}  // namespace nadi::test
