// Holding a converted graph against the truth finds each sort of defect, and nothing where none is.
#include "tests/vm/compare.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/vm/builder.h"
#include "tests/vm/programs.h"

namespace nadi::vm {
namespace {

int row_named(const ConvertedGraph& graph, const std::string& name) {
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    if (graph.nodes[i].name == name) return static_cast<int>(i);
  ADD_FAILURE() << "no node " << name;
  return 0;
}

TEST(Compare, ALostEventWaitIsMissingAndOnlyThat) {
  const Truth truth = truth_of(two_streams_event());
  ConvertedGraph graph = perfect_graph(truth);
  std::erase_if(graph.edges,
                [](const ConvertedEdge& edge) { return edge.evidence == "event wait"; });
  const Comparison comparison = compare(truth, graph);
  ASSERT_EQ(comparison.missing.size(), 1u);
  EXPECT_NE(comparison.missing[0].find("late_producer"), std::string::npos);
  EXPECT_NE(comparison.missing[0].find("consumer"), std::string::npos);
  EXPECT_TRUE(comparison.false_edges.empty());
  EXPECT_EQ(comparison.required.at("event wait").good, 0u);
}

TEST(Compare, ACtrlEdgeDoesNotImplyADependencyButMayBeFalse) {
  const Truth truth = truth_of(two_streams_event());
  ConvertedGraph graph = perfect_graph(truth);
  for (ConvertedEdge& edge : graph.edges)
    if (edge.evidence == "event wait") edge.is_data = false;
  EXPECT_EQ(compare(truth, graph).missing.size(), 1u);
  graph.edges.push_back(
      {row_named(graph, "consumer"), row_named(graph, "unrelated"), false, false, "nesting"});
  EXPECT_EQ(compare(truth, graph).false_edges.size(), 1u);
}

TEST(Compare, AnEdgeBetweenUnorderedRowsIsFalseAndSoAreThePairsItImplies) {
  const Truth truth = truth_of(two_streams_event());
  ConvertedGraph graph = perfect_graph(truth);
  graph.edges.push_back(
      {row_named(graph, "consumer"), row_named(graph, "unrelated"), true, true, "guess"});
  const Comparison comparison = compare(truth, graph);
  ASSERT_EQ(comparison.false_edges.size(), 1u);
  EXPECT_EQ(comparison.edges.at("guess (inferred)").good, 0u);
  EXPECT_GT(comparison.false_pairs, 1u);  // what consumer waits for comes along
}

/// Stream 20 waits for a long and a short kernel of stream 7; the long one, twice.
Program waits_of_stream_20() {
  ProgramBuilder builder("waits");
  ThreadBuilder main = builder.thread(0, "main");
  main.op("user::waits", [&] {
    main.work(2_us);
    main.launch(7, "short", 1_us);
    main.wait(20, main.record(7));
    main.launch(20, "free", 5_us, {60_us, 8_us});
    main.launch(7, "long", 200_us);
    main.wait(20, main.record(7));
    main.launch(20, "held_up", 5_us);
    main.wait(24, main.record(20));
    main.wait(24, main.record(7));
    main.launch(24, "after_both", 5_us);
  });
  return builder.take();
}

TEST(Compare, RecallOfWaitsTellsThoseThatHeldSomethingUpAndThoseThatOthersImply) {
  const Truth truth = truth_of(waits_of_stream_20());
  ConvertedGraph graph = perfect_graph(truth);
  WaitRecall recall = recall_of_waits(truth, compare(truth, graph));
  EXPECT_EQ(recall.all.total, 4U);      // "long" to "after_both" is one of them
  EXPECT_EQ(recall.needed.total, 3U);   // but "held_up" comes between
  EXPECT_EQ(recall.binding.total, 2U);  // "short" had ended when "free" was launched
  EXPECT_EQ(recall.all.good, 4U);
  std::erase_if(graph.edges, [&](const ConvertedEdge& edge) {
    return edge.evidence == "event wait" && edge.to == row_named(graph, "held_up");
  });
  recall = recall_of_waits(truth, compare(truth, graph));
  EXPECT_EQ(recall.binding.good, 1U);
  ASSERT_EQ(recall.missing.size(), 1U);
  EXPECT_TRUE(recall.missing[0].starts_with("held up, event wait: ")) << recall.missing[0];
}

TEST(Compare, OrderPassesThroughDelays) {
  const Truth truth = truth_of(two_streams_event());
  ConvertedGraph graph = perfect_graph(truth);
  ConvertedNode delay;
  delay.kind = ConvertedNode::kDelay;
  graph.nodes.push_back(delay);
  const int node = static_cast<int>(graph.nodes.size()) - 1;
  graph.edges.push_back({row_named(graph, "late_producer"), node, true, false, "delay"});
  graph.edges.push_back({node, row_named(graph, "consumer"), true, false, "delay"});
  EXPECT_TRUE(compare(truth, graph).is_exact());
  graph.edges.push_back({node, row_named(graph, "unrelated"), true, false, "delay"});
  EXPECT_EQ(compare(truth, graph).false_edges.size(), 1u);
}

TEST(Compare, OtherTimesAndOtherNodesAreFound) {
  const Truth truth = truth_of(straight_line());
  ConvertedGraph graph = perfect_graph(truth);
  graph.nodes[0].duration_ns += 1;
  graph.nodes[1].start_ns -= 40;
  ConvertedNode stranger;
  stranger.rf_id = 999;
  graph.nodes.push_back(stranger);
  const Comparison comparison = compare(truth, graph);
  EXPECT_EQ(comparison.time_mismatches.size(), 2u);
  EXPECT_EQ(comparison.unmatched_converted.size(), 1u);
  CompareOptions options;
  options.tolerance_ns = 40;
  EXPECT_TRUE(compare(truth, graph, options).time_mismatches.empty());
  options.origin_ns = 1000;
  EXPECT_EQ(compare(truth, graph, options).time_mismatches.size(), truth.nodes.size());
}

TEST(Compare, ALostNodeIsFound) {
  const Truth truth = truth_of(straight_line());
  ConvertedGraph graph = perfect_graph(truth);
  graph.nodes[3].rf_id = 999;
  const Comparison comparison = compare(truth, graph);
  EXPECT_EQ(comparison.unmatched_truth.size(), 1u);
  EXPECT_EQ(comparison.unmatched_converted.size(), 1u);
}

TEST(Compare, TheNodesOfACoalescedRowStandForItTogether) {
  const Truth truth = truth_of(coalesced_exchange());
  ConvertedGraph graph = perfect_graph(truth);
  const std::size_t rows = graph.nodes.size();
  for (std::size_t i = 0; i < rows; ++i) {
    if (truth.nodes[i].carried != 2) continue;
    ConvertedNode second = graph.nodes[i];
    second.duration_ns = 0;
    graph.nodes.push_back(second);
    const int node = static_cast<int>(graph.nodes.size()) - 1;
    const std::vector<ConvertedEdge> edges = graph.edges;
    for (const ConvertedEdge& edge : edges)
      if (edge.to == static_cast<int>(i))
        graph.edges.push_back({edge.from, node, true, false, edge.evidence});
  }
  EXPECT_TRUE(compare(truth, graph).is_exact()) << compare(truth, graph).text();
  graph.edges.erase(
      std::find_if(graph.edges.begin(), graph.edges.end(), [&](const ConvertedEdge& edge) {
        return edge.to == static_cast<int>(rows) && edge.evidence == "launch";
      }));
  EXPECT_FALSE(compare(truth, graph).missing.empty());
}

}  // namespace
}  // namespace nadi::vm
