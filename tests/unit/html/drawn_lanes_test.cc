#include "nadi/converters/html/drawn_lanes.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/replay/graph_builder.h"

namespace nadi::html {
namespace {

Json drawn(const Graph& graph, const std::vector<Ns>& ends, DrawnNames& names,
           std::size_t most = 1000) {
  const DrawnRun run{"measured", graph.start_ns, ends};
  return drawn_lanes(graph, {&run, 1}, span_of({&run, 1}), most, names);
}

TEST(DrawnLanes, AreOnePerLaneWithTimesSinceTheFirstStart) {
  GraphBuilder builder;
  const auto op = builder.host(1, 1000, 20, {}, "mm");
  builder.row(7, 1030, 5, {op}, "gemm");
  builder.row(7, 1040, 5, {op}, "Memcpy HtoD");
  DrawnNames names;
  const Json json = drawn(builder.take(), {1020, 1035, 1045}, names);
  EXPECT_EQ(json["resolution_ns"], 0);
  ASSERT_EQ(json["lanes"].size(), 2U);
  EXPECT_EQ(json["lanes"][0]["name"], "thread 1");
  EXPECT_EQ(json["lanes"][0]["pieces"], Json::parse("[0, 20, 0, 0, 1, 20]"));
  EXPECT_EQ(json["lanes"][1]["pieces"], Json::parse("[30, 5, 2, 1, 1, 5, 10, 5, 3, 2, 1, 5]"));
  EXPECT_EQ(json["lanes"][1]["busy_ns"], 10);
}

TEST(DrawnLanes, TellOfEachNodeOnceWhatItIsAndWhyItWaits) {
  GraphBuilder builder;
  const auto op = builder.host(1, 1000, 20, {}, "mm");
  const auto first = builder.row(7, 1030, 5, {op}, "gemm", 41);
  builder.collective("dp", 1040, 5, {op, first});
  Graph graph = builder.take();
  graph.step.assign(graph.size(), -1);
  graph.step[op] = 3;
  DrawnNames names;
  const Json json = drawn(graph, {1020, 1035, 1045}, names);
  const Json text = names.json();
  const auto name = [&](const Json& number) { return text[number.get<std::size_t>()]; };
  const Json& row = json["nodes"][1];
  EXPECT_EQ(row[0], 2);
  EXPECT_EQ(name(row[1]), "gemm");
  EXPECT_EQ(row[4], 41);
  EXPECT_EQ(row[9][0], 1);
  EXPECT_EQ(name(row[9][1]), "mm");
  EXPECT_EQ(name(row[9][2]), "launch");
  EXPECT_EQ(name(json["nodes"][2][7]), "ALL_REDUCE, group dp, 0 bytes");
  EXPECT_EQ(json["nodes"][2][9].size(), 6U);
  EXPECT_EQ(json["steps"], Json::parse("[[3, 0]]"));
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
    return drawn_lanes(graph, {&run, 1}, span_of({&run, 1}), 1000, names)["lanes"][1]["pieces"];
  };
  const Json gaps = Json::parse(
      "[20, 10, 5, 1, 1, 10, 10, 5, 2, 1, 1, 5, "
      "5, 5, 5, 2, 1, 5, 5, 5, 2, 2, 1, 5]");
  EXPECT_EQ(pieces_of_row(false, true), gaps);
  EXPECT_EQ(pieces_of_row(true, true), gaps) << "the delay is not drawn over it";
  EXPECT_EQ(pieces_of_row(true, false),
            Json::parse("[30, 5, 2, 1, 1, 5, 7, 3, 5, 2, 1, 3, 3, 5, 2, 3, 1, 5]"))
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

TEST(DrawnNames, AreKeptWhereTextsThatTellMoreAreTooMany) {
  DrawnNames names;
  for (int i = 0; i < 20'000; ++i) names.add_detail(std::string(100, 'x') + std::to_string(i));
  const std::uint32_t name = names.add("gemm"), detail = names.add_detail(std::string(200, 'z'));
  EXPECT_EQ(names.json()[name], "gemm");
  EXPECT_EQ(names.json()[detail], "…");
}

}  // namespace
}  // namespace nadi::html
