#include "nadi/converters/html/drawn_lanes.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/replay/graph_builder.h"

namespace nadi::html {
namespace {

Json drawn(const Graph& graph, const std::vector<Ns>& ends, DrawnNames& names,
           std::size_t most = 1000) {
  const DrawnRun run{"measured", graph.start_ns, ends};
  return drawn_lanes(graph, {&run, 1}, most, names);
}

TEST(DrawnLanes, AreOnePerLaneWithTimesSinceTheFirstStart) {
  GraphBuilder builder;
  const auto op = builder.host(1, 1000, 20, {}, "mm");
  builder.row(7, 1030, 5, {op}, "gemm");
  builder.row(7, 1040, 5, {op}, "Memcpy HtoD");
  DrawnNames names;
  const Json json = drawn(builder.take(), {1020, 1035, 1045}, names);
  EXPECT_EQ(json["span_ns"], 45);
  EXPECT_EQ(json["resolution_ns"], 0);
  ASSERT_EQ(json["lanes"].size(), 2U);
  EXPECT_EQ(json["lanes"][0]["name"], "thread 1");
  EXPECT_EQ(json["lanes"][0]["pieces"], Json::parse("[0, 20, 0, 1, 1, 20]"));
  EXPECT_EQ(json["lanes"][1]["pieces"], Json::parse("[30, 5, 2, 2, 1, 5, 10, 5, 3, 3, 1, 5]"));
  EXPECT_EQ(json["lanes"][1]["busy_ns"], 10);
  EXPECT_EQ(names.json(), Json::parse(R"(["", "mm", "gemm", "Memcpy HtoD"])"));
}

TEST(DrawnLanes, OfAMeasuredRunShowGapsThatNoDependencyExplainsWhateverTheDelays) {
  const auto pieces_of_row = [](bool has_delay, bool is_measured) {
    GraphBuilder builder;
    const auto op = builder.host(1, 1000, 20, {}, "mm");
    const auto first = builder.row(7, 1030, 5, {op}, "gemm");  // 10 ns after the op: unexplained
    const auto last = has_delay ? builder.device_delay(7, 1037, 3, {first}) : first;
    builder.row(7, 1040, 5, {first, last}, "gemm");  // 5 ns after the first
    const Graph graph = builder.take();
    std::vector<Ns> ends;
    ends.reserve(graph.size());
    for (std::size_t row = 0; row < graph.size(); ++row) ends.push_back(graph.end_ns(row));
    DrawnNames names;
    const DrawnRun run{"", graph.start_ns, ends, is_measured};
    return drawn_lanes(graph, {&run, 1}, 1000, names)["lanes"][1]["pieces"];
  };
  const Json gaps = Json::parse(
      "[20, 10, 5, 0, 1, 10, 10, 5, 2, 2, 1, 5, "
      "5, 5, 5, 0, 1, 5, 5, 5, 2, 2, 1, 5]");
  EXPECT_EQ(pieces_of_row(false, true), gaps);
  EXPECT_EQ(pieces_of_row(true, true), gaps) << "the delay is not drawn over it";
  EXPECT_EQ(pieces_of_row(true, false),
            Json::parse("[30, 5, 2, 2, 1, 5, 7, 3, 5, 0, 1, 3, 3, 5, 2, 2, 1, 5]"))
      << "of a replay the delay is";
}

TEST(DrawnLanes, KeepTheBusiestSixtyFour) {
  GraphBuilder builder;
  std::vector<Ns> ends;
  for (int tid = 0; tid < 70; ++tid) {
    builder.host(tid, 0, 10 + tid);
    ends.push_back(10 + tid);
  }
  DrawnNames names;
  const Json json = drawn(builder.take(), ends, names);
  EXPECT_EQ(json["lanes"].size(), 64U);
  EXPECT_EQ(json["lanes"][0]["name"], "thread 6");
  EXPECT_EQ(json["lanes_left_out"], 6);
}

TEST(DrawnLanes, BearTimesThatNoClockTells) {
  constexpr Ns kMost = std::numeric_limits<Ns>::max(), kLeast = std::numeric_limits<Ns>::min();
  GraphBuilder builder;
  std::vector<Ns> ends;
  for (const Ns start : {kLeast, Ns{0}, kMost})
    for (int i = 0; i < 20; ++i) {
      builder.host(1, start, 0);
      ends.push_back(kMost);
    }
  DrawnNames names;
  const Json json = drawn(builder.take(), ends, names, 5);
  EXPECT_LE(json["lanes"][0]["pieces"].size(), 5U * 6);
}

TEST(DrawnNames, AreCutWhereTheyAreTooMany) {
  DrawnNames names;
  for (int i = 0; i < 20'000; ++i) names.add(std::string(300, 'x') + std::to_string(i));
  for (int i = 0; i < 20'000; ++i) names.add(std::to_string(i) + std::string(300, 'y'));
  EXPECT_LT(names.json().dump().size(), 1'600'000U);
}

}  // namespace
}  // namespace nadi::html
