#include "nadi/sim_bridge/replay/replay.h"

#include <gtest/gtest.h>

#include "nadi/base/error.h"
#include "tests/error_of.h"
#include "tests/unit/replay/graph_builder.h"

namespace nadi {
namespace {

/// Starts of all nodes, in id order.
std::vector<Ns> starts(Graph graph, const ReplayOptions& options = {}) {
  std::vector<Graph> graphs;
  graphs.push_back(std::move(graph));
  Diagnostics diagnostics;
  return replay(make_replay_job(graphs, diagnostics), options).start_ns;
}

std::vector<Ns> starts(Graph graph, const char* scale) {
  ReplayOptions options;
  options.scales.push_back(parse_scale(scale));
  return starts(std::move(graph), options);
}

using Times = std::vector<Ns>;

TEST(Replay, StartsANodeWhenAllItDependsOnHasEnded) {
  GraphBuilder graph;
  graph.host(1, 0, 10);
  graph.row(7, 3, 30);
  graph.host(2, 50, 1, {0, 1});
  EXPECT_EQ(starts(graph.take()), (Times{0, 0, 30}));
}

TEST(Replay, RunsOneNodeAtATimeOnALaneInIdOrder) {
  GraphBuilder graph;
  graph.host(1, 0, 10);
  graph.host(1, 0, 5);
  graph.host(1, 0, 2);
  EXPECT_EQ(starts(graph.take()), (Times{0, 10, 15}));
}

TEST(Replay, RunsHostThreadsSideBySideUnlessThereIsOneHostLane) {
  const auto graph = [] {
    GraphBuilder builder;
    builder.host(1, 0, 10);
    builder.host(2, 0, 10);
    builder.row(7, 0, 10);
    return builder.take();
  };
  EXPECT_EQ(starts(graph()), (Times{0, 0, 0}));
  EXPECT_EQ(starts(graph(), {ReplayLanes::kOneHost, {}}), (Times{0, 10, 0}));
}

TEST(Replay, WithoutLanesHoldsANodeUpByDependenciesAlone) {
  GraphBuilder graph;
  graph.host(1, 0, 10);
  graph.host(1, 10, 5);
  graph.host(1, 15, 5, {1});
  EXPECT_EQ(starts(graph.take(), {ReplayLanes::kNone, {}}), (Times{0, 0, 5}));
}

TEST(Replay, LetsADelayHoldNoLane) {
  GraphBuilder graph;
  graph.delay(1, 0, 100);
  graph.host(1, 0, 10);
  graph.host(1, 100, 10, {0});
  EXPECT_EQ(starts(graph.take()), (Times{0, 0, 100}));
}

TEST(Replay, LetsRowsOfOneGraphLaunchRunSideBySide) {
  GraphBuilder graph;
  graph.row(7, 0, 10, {}, "a", 5);
  graph.row(7, 2, 10, {}, "b", 5);
  graph.row(7, 12, 10, {}, "of another launch", 6);
  EXPECT_EQ(starts(graph.take()), (Times{0, 0, 10}));
}

TEST(Replay, KeepsWhatAStreamTakesFromOneRowToTheNext) {
  GraphBuilder graph;
  graph.host(1, 0, 10);
  graph.row(7, 10, 100'000, {0});
  graph.row(7, 101'010, 100'000, {0, 1});
  graph.row(7, 203'010, 100'000, {0, 2});
  graph.row(7, 390'000, 100'000, {0, 3});  // nobody knows why so late
  EXPECT_EQ(starts(graph.take(), "kernels=0.5"), (Times{0, 10, 51'010, 103'010, 153'010}));
}

/// Six rows of a stream with 1 us between them; another thread's op, node 1, ends at `late_end`.
GraphBuilder rows_with_gaps(Ns late_end) {
  GraphBuilder graph;
  graph.host(1, 0, 10);
  graph.host(2, 0, late_end, {}, "late");
  for (std::uint32_t i = 0; i < 6; ++i)
    if (i == 0)
      graph.row(7, 10, 100'000, {0});
    else
      graph.row(7, 10 + Ns{i} * 101'000, 100'000, {0, i + 1});
  return graph;
}

TEST(Replay, TakesTheUsualTimeBetweenRowsWhereARowWaitedForSomethingElse) {
  GraphBuilder graph = rows_with_gaps(1'000'000);
  graph.row(7, 1'005'000, 100'000, {1, 7});
  EXPECT_EQ(starts(graph.take(), "op:late=0.5").back(), 10 + 6 * 101'000);
}

TEST(Replay, TakesNoMoreTimeBetweenRowsThanWasMeasured) {
  GraphBuilder graph = rows_with_gaps(605'300);
  graph.row(7, 605'310, 100'000, {1, 7});  // 300 ns behind the row before it
  EXPECT_EQ(starts(graph.take()),
            (Times{0, 0, 10, 101'010, 202'010, 303'010, 404'010, 505'010, 605'310}));
}

TEST(Replay, KeepsNoGapBehindWhatIsNoRow) {
  GraphBuilder builder = rows_with_gaps(606'000);
  const std::uint32_t other = builder.row(7, 606'000, 2'000, {1});
  builder.row(7, 608'100, 100'000, {7, other});
  Graph graph = builder.take();
  graph.kind[other] = NodeKind::kHostOther;
  EXPECT_EQ(starts(std::move(graph)),
            (Times{0, 0, 10, 101'010, 202'010, 303'010, 404'010, 505'010, 606'000, 608'000}));
}

TEST(Replay, TakesNoUsualTimeBetweenRowsWhereFewRowsShowOne) {
  GraphBuilder graph;
  graph.host(1, 0, 10);
  const std::uint32_t late = graph.host(2, 0, 1'000'000, {}, "late");
  const std::uint32_t first = graph.row(7, 10, 100'000, {0});
  const std::uint32_t second = graph.row(7, 101'010, 100'000, {0, first});
  graph.row(7, 1'005'000, 100'000, {late, second});
  EXPECT_EQ(starts(graph.take(), "op:late=0.1"), (Times{0, 0, 10, 101'010, 201'010}));
}

TEST(Replay, KeepsTheOverlapThatRowsOfAStreamWereMeasuredWith) {
  GraphBuilder graph;
  graph.row(7, 0, 100, {}, "first", 1);
  graph.row(7, 97, 10, {0}, "launched early by the first", 2);
  EXPECT_EQ(starts(graph.take()), (Times{0, 97}));
}

TEST(Replay, KeepsTheOverlapWhereTheFirstRowBecomesShorter) {
  GraphBuilder graph;
  graph.row(7, 0, 100, {}, "first", 1);
  graph.row(7, 97, 10, {0}, "second", 2);
  EXPECT_EQ(starts(graph.take(), "kernel:first=0.5"), (Times{0, 47}));
}

TEST(Replay, NeverStartsARowBeforeTheOneItOverlapsWith) {
  GraphBuilder graph;
  graph.row(7, 10, 100, {}, "first", 1);
  graph.row(7, 15, 200, {0}, "second", 2);
  EXPECT_EQ(starts(graph.take(), "kernel:first=0.1"), (Times{0, 0}));
}

TEST(Replay, ScalesWhatIsNamedAndMultipliesFactors) {
  const auto end_of = [](const char* a, const char* b) {
    GraphBuilder graph;
    graph.host(1, 0, 100, {}, "aten::mm");
    graph.delay(1, 100, 10, {0});
    graph.row(7, 110, 1000, {1}, "gemm_64");
    graph.collective("0", 1110, 10000, {2});
    graph.host(1, 11110, 0, {3});
    ReplayOptions options;
    options.scales = {parse_scale(a), parse_scale(b)};
    return starts(graph.take(), options).back();
  };
  EXPECT_EQ(end_of("host=1", "host=1"), 11110);
  EXPECT_EQ(end_of("host=0.5", "comm=1"), 11060);
  EXPECT_EQ(end_of("kernels=2", "host=1"), 12110);
  EXPECT_EQ(end_of("comm=0.5", "host=1"), 6110);
  EXPECT_EQ(end_of("stream:7=3", "stream:8=9"), 13110);
  EXPECT_EQ(end_of("kernel:ge.*64=0.5", "kernels=0.5"), 10360);
  EXPECT_EQ(end_of("kernel:nccl=2", "op:mm=2"), 21210);
}

TEST(Replay, GivesTheSameResultEveryTime) {
  const auto once = [] {
    GraphBuilder graph;
    for (int i = 0; i < 500; ++i) graph.host(i % 3, 0, 1 + i * 7 % 11);
    return starts(graph.take());
  };
  EXPECT_EQ(once(), once());
}

TEST(Replay, OfManyReadyNodesOnOneLaneIsNotQuadratic) {
  GraphBuilder graph;
  for (int i = 0; i < 200000; ++i) graph.row(7, 0, 1);
  EXPECT_EQ(starts(graph.take()).back(), 199999);
}

TEST(Replay, RefusesTimesThatNoJobHas) {
  GraphBuilder graph;
  graph.host(1, 0, Ns{1} << 62);
  const Error error = error_of([&] { starts(graph.take()); });
  EXPECT_EQ(error.code(), ErrorCode::kInput);
  EXPECT_EQ(error.where(), "rank0.et");
  EXPECT_NE(error.problem().find("node 1 "), std::string::npos) << error.what();
}

TEST(Replay, RefusesFactorsThatMakeTimesTooLongToAdd) {
  GraphBuilder graph;
  for (int i = 0; i < 100; ++i) graph.host(1, 0, Ns{1} << 50);
  EXPECT_THROW(starts(graph.take(), "host=1000000"), Error);
}

TEST(ParseScale, RefusesWhatItDoesNotKnow) {
  for (const char* text : {"host", "host=", "host=x", "host=-1", "host=nan", "host=inf", "gpu=2",
                           "stream=2", "stream:x=2", "kernel:(=2", "=2", ""})
    EXPECT_THROW(parse_scale(text), Error) << text;
}

TEST(ParseScale, TakesTheFactorBehindTheLastEqualsSign) {
  const Scale scale = parse_scale("kernel:a=b=0.25");
  EXPECT_EQ(scale.factor, 0.25);
  EXPECT_TRUE(std::regex_search("a=b", scale.names));
}

/// What the error says that a scale which applies to nothing of a small graph ends with.
std::string error_without_nodes(const char* scale) {
  GraphBuilder graph;
  graph.host(1, 0, 5, {}, "aten::mm");
  graph.host(1, 5, 9, {0}, "aten::add");
  graph.row(7, 10, 100, {}, "gemm");
  graph.row(20, 10, 50, {}, "copy");
  graph.row(7, 110, 30, {}, "relu");
  graph.row(7, 140, 30, {}, "relu");
  graph.delay(1, 14, 1000, {1});
  const Graph taken = graph.take();
  try {
    require_scaled_nodes({&taken, 1}, {parse_scale("host=2"), parse_scale(scale)});
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    return error.what();
  }
  return "no error";
}

TEST(ScalesWithoutNodes, AreErrorsThatNameWhatTheyCouldApplyTo) {
  EXPECT_EQ(error_without_nodes("kernel:gemm=2"), "no error");
  EXPECT_EQ(error_without_nodes("stream:99=2"),
            "`scale` stream:99=2: applies to no node. The streams are 7, 20");
  EXPECT_EQ(error_without_nodes("kernel:GEMM=2"),
            "`scale` kernel:GEMM=2: applies to no node. The device rows that take most time are "
            "\"gemm\", \"relu\", \"copy\"");
  EXPECT_EQ(error_without_nodes("op:delay=2"),
            "`scale` op:delay=2: applies to no node. The host nodes that take most time are "
            "\"aten::add\", \"aten::mm\"");
  EXPECT_EQ(error_without_nodes("comm=2"),
            "`scale` comm=2: applies to no node. The graphs have host, kernels");
}

TEST(ScalesWithoutNodes, NameNoMoreThanAMessageHasRoomFor) {
  GraphBuilder graph;
  for (int i = 0; i < 20; ++i)
    graph.row(7, i, 1, {}, (std::to_string(i) + std::string(1'000, 'x')).c_str());
  const Graph taken = graph.take();
  const std::string text = message_of([&] {
    require_scaled_nodes({&taken, 1}, {parse_scale("kernel:gemm=2")});
  });
  EXPECT_LT(text.size(), 1'000U);
  EXPECT_NE(text.find("…\" and 12 more"), std::string::npos) << text;
}

TEST(ScalesWithoutNodes, OfATargetThatGraphsLackAreToldWhatTheyHave) {
  GraphBuilder graph;
  graph.host(1, 0, 5);
  const Graph taken = graph.take();
  for (const char* scale : {"stream:7=2", "kernel:gemm=2", "kernels=2"}) {
    const std::string text = message_of([&] {
      require_scaled_nodes({&taken, 1}, {parse_scale(scale)});
    });
    EXPECT_NE(text.find("The graphs have host"), std::string::npos) << scale << ": " << text;
  }
}

TEST(ParseScale, LooksAtTheBeginningOfNamesOfAnyLength) {
  GraphBuilder graph;
  const std::string name = "gemm" + std::string(1 << 20, 'x');
  graph.row(7, 0, 100, {}, name.c_str());
  graph.row(7, 100, 1, {0});
  EXPECT_EQ(starts(graph.take(), "kernel:gemm.*x=2").back(), 200);
}

}  // namespace
}  // namespace nadi
