#include "nadi/converters/html/drawn_job.h"

#include <gtest/gtest.h>

#include "nadi/sim_bridge/replay/measured.h"
#include "tests/unit/replay/graph_builder.h"

namespace nadi::html {
namespace {

/// A rank whose host launches a collective at that time; it ends at 100.
Graph rank_that_begins(std::int64_t rank, Ns start) {
  GraphBuilder builder(rank);
  const auto op = builder.host(1, 0, start - 5);
  builder.collective("dp", start, 100 - start, {op});
  return builder.take();
}

Json drawn(const std::vector<Graph>& graphs, const GraphInputs& inputs = {}) {
  Diagnostics diagnostics;
  const ReplayJob job = make_replay_job(graphs, diagnostics);
  const ReplayTimes measured = measured_times(job);
  DrawnNames names;
  return drawn_job(job, std::vector<DrawnTimes>{{"", measured, true}}, 0, inputs, graphs.size(),
                   names);
}

std::vector<Graph> two_ranks() {
  std::vector<Graph> graphs;
  graphs.push_back(rank_that_begins(0, 20));
  graphs.push_back(rank_that_begins(1, 60));
  return graphs;
}

TEST(DrawnJob, HasAllRanksOnOneClock) {
  std::vector<Graph> graphs = two_ranks();
  graphs[1].base_time_ns = 7;
  const Json json = drawn(graphs);
  EXPECT_EQ(json["span_ns"], 107);
  EXPECT_EQ(json["ranks"][0]["lanes"][0]["pieces"][0], 0);
  EXPECT_EQ(json["ranks"][1]["lanes"][0]["pieces"][0], 7);
}

TEST(DrawnJob, ThePathGoesOnAtTheRankThatCameLast) {
  // The op of rank 1, and behind it the kernel of rank 0, which waited.
  EXPECT_EQ(drawn(two_ranks())["path"], Json::parse("[0, 1, 0, 55, 0, 1, 45]"));
}

TEST(DrawnJob, TellsWhichKernelsMeet) {
  const Json json = drawn(two_ranks());
  ASSERT_EQ(json["meetings"].size(), 1U);
  EXPECT_EQ(json["meetings"][0][1], false);
  EXPECT_EQ(json["meetings"][0][2], Json::parse("[0, 1, 20, 80, 1, 1, 60, 40]"));
  EXPECT_EQ(json["meetings_left_out"], 0);
}

TEST(DrawnJob, NamesTheFilesOfWhichAGraphWasMade) {
  const Json json = drawn(two_ranks(), {{"rank1.et", {"host.json", "device.json"}}});
  EXPECT_EQ(json["ranks"][0]["input"], Json::parse(R"(["rank0.et"])"));
  EXPECT_EQ(json["ranks"][1]["input"], Json::parse(R"(["host.json", "device.json"])"));
}

TEST(DrawnJob, JoinsStretchesOfAPathThatHasTooMany) {
  GraphBuilder builder;
  std::uint32_t last = builder.host(1, 0, 10);
  for (Ns start = 10; start < 200'000; start += 20) {
    const auto row = builder.row(7, start, 10, {last});
    last = builder.host(1, start + 10, 10, {row});
  }
  std::vector<Graph> graphs;
  graphs.push_back(builder.take());
  const Json json = drawn(graphs);
  EXPECT_LE(json["path"].size(), 3U * 5'000 + 1);
  EXPECT_GT(json["path_resolution_ns"], 0);
  Ns length = 0;
  for (std::size_t i = 3; i < json["path"].size(); i += 3) length += json["path"][i].get<Ns>();
  EXPECT_EQ(length, json["span_ns"]);
}

}  // namespace
}  // namespace nadi::html
