#include "nadi/converters/html/edge_counts.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/replay/graph_builder.h"

namespace nadi::html {
namespace {

/// An op after a delay launches a kernel; a second kernel waits for it and for a delay.
std::vector<Graph> graph_of_a_launch(const Edge& order = {Evidence::kStreamOrder},
                                     const Edge& wait = {Evidence::kDelay}) {
  GraphBuilder builder;
  const auto idle = builder.delay(1, 0, 10);
  const auto op = builder.host(1, 10, 20, {idle});
  const auto first = builder.row(7, 30, 5, {op}, "first");
  const auto latency = builder.device_delay(7, 35, 7, {first});
  const auto second = builder.row(7, 42, 5, {first, latency}, "second");
  builder.tell(first, second, order).tell(latency, second, wait);
  std::vector<Graph> graphs;
  graphs.push_back(builder.take());
  return graphs;
}

TEST(EdgeCounts, GoByTheEndsWhereTheGraphTellsNothing) {
  std::vector<Graph> graphs = graph_of_a_launch();
  Diagnostics diagnostics;
  std::vector<std::pair<Evidence, std::uint64_t>> counts;
  for (const EdgeCount& count : edge_counts(make_replay_job(graphs, diagnostics)))
    counts.emplace_back(count.evidence, count.edges);
  EXPECT_EQ(counts,
            (std::vector<std::pair<Evidence, std::uint64_t>>{
                {Evidence::kLaunch, 1}, {Evidence::kStreamOrder, 1}, {Evidence::kDelay, 3}}));
}

TEST(EdgeCounts, TellGuessesWhereTheGraphDoes) {
  const std::vector<Graph> graphs = graph_of_a_launch({Evidence::kGraphOrder, Inference::kPattern},
                                                      {Evidence::kEventWait, Inference::kTiming});
  Diagnostics diagnostics;
  std::vector<Evidence> guesses;
  for (const EdgeCount& count : edge_counts(make_replay_job(graphs, diagnostics))) {
    if (count.inferred() == 0) continue;
    guesses.push_back(count.evidence);
    const auto by =
        count.evidence == Evidence::kGraphOrder ? Inference::kPattern : Inference::kTiming;
    EXPECT_EQ(count.by_inference[static_cast<std::size_t>(by)], 1U);
  }
  std::sort(guesses.begin(), guesses.end());
  EXPECT_EQ(guesses, (std::vector{Evidence::kGraphOrder, Evidence::kEventWait}));
}

}  // namespace
}  // namespace nadi::html
