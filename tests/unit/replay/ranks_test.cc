// Several ranks: who meets whom, and on whose clock.
#include <gtest/gtest.h>

#include "nadi/base/error.h"
#include "nadi/sim_bridge/replay/report.h"
#include "tests/error_of.h"
#include "tests/unit/replay/graph_builder.h"

namespace nadi {
namespace {

using Times = std::vector<Ns>;

struct Replayed {
  std::vector<Graph> graphs;
  Diagnostics diagnostics;
  ReplayJob job;
  ReplayTimes times;

  template <class... Builders>
  explicit Replayed(const ReplayOptions& options, Builders&... builders) {
    (graphs.push_back(builders.take()), ...);
    job = make_replay_job(graphs, diagnostics);
    times = replay(job, options);
  }
  Times shifts() const {
    Times all;
    for (const RankClock& clock : job.clocks) all.push_back(clock.shift_ns);
    return all;
  }
};

ReplayOptions with(const char* scale) {
  ReplayOptions options;
  options.scales.push_back(parse_scale(scale));
  return options;
}

TEST(ReplayOfRanks, LetsACollectiveStartWhenTheLastMemberIsThere) {
  // Rank 0 waited 50 ns in the kernel; the all-reduce itself takes 20.
  GraphBuilder a(0), b(1);
  a.host(1, 0, 10);
  a.collective("0", 10, 70, {0});
  b.host(1, 0, 60);
  b.collective("0", 60, 20, {0});
  Replayed same({}, a, b);
  EXPECT_EQ(same.times.end_ns, (Times{10, 80, 60, 80}));
}

TEST(ReplayOfRanks, ScalesCommunicationButNotTheWaitInIt) {
  GraphBuilder a(0), b(1);
  a.host(1, 0, 10);
  a.collective("0", 10, 70, {0});
  b.host(1, 0, 60);
  b.collective("0", 60, 20, {0});
  Replayed twice(with("comm=2"), a, b);
  EXPECT_EQ(twice.times.end_ns, (Times{10, 100, 60, 100}));
}

TEST(ReplayOfRanks, ShortensTheWaitWhereTheSlowRankBecomesFaster) {
  GraphBuilder a(0), b(1);
  a.host(1, 0, 10);
  a.collective("0", 10, 70, {0});
  b.host(1, 0, 60);
  b.collective("0", 60, 20, {0});
  Replayed half(with("host=0.5"), a, b);
  EXPECT_EQ(half.times.end_ns, (Times{5, 50, 30, 50}));
}

TEST(ReplayOfRanks, MatchesCollectivesByGroupAndOrder) {
  GraphBuilder a(0), b(1), c(2);
  a.collective("x", 0, 30);
  a.collective("x", 30, 10, {0});
  b.collective("x", 20, 10);
  b.collective("x", 30, 10, {0});
  c.collective("y", 500, 10);
  Replayed run({}, a, b, c);
  EXPECT_EQ(run.job.comm_instances.size(), 2U);
  EXPECT_EQ(run.times.end_ns, (Times{10, 20, 10, 20, 10}));
  EXPECT_TRUE(run.diagnostics.table().empty());
}

TEST(ReplayOfRanks, WarnsOfACollectiveThatOneRankLacksAndReplaysItAlone) {
  GraphBuilder a(0), b(1);
  a.collective("x", 0, 30);
  a.collective("x", 30, 77, {0});
  b.collective("x", 0, 30);
  Replayed run({}, a, b);
  EXPECT_EQ(run.times.end_ns, (Times{30, 107, 30}));
  ASSERT_EQ(run.diagnostics.count(Finding::kCommunicationUnmatched), 1U);
  EXPECT_EQ(
      run.diagnostics.table()[0].first[0],
      "group \"x\": 2 on rank 0, 1 on rank 1; 1 of 2 not on all, first rank0.et, node 2 (nccl)"
      ": rows were lost or damaged, or other steps recorded");
}

TEST(ReplayOfRanks, MatchesGroupsThatEachProcessNamesByAnAddressOfItsOwn) {
  GraphBuilder a(0), b(1);
  a.with_world(2, R"({"94591":{"desc":"","ranks":[]}})").collective("94591", 10, 70);
  b.with_world(2, R"({"12345":{"desc":"","ranks":[]}})").collective("12345", 60, 20);
  Replayed run({}, a, b);
  EXPECT_EQ(run.job.comm_instances.size(), 1U);
  EXPECT_TRUE(run.diagnostics.table().empty());
}

TEST(ReplayOfRanks, DoesNotMatchNamesakesWithOtherMembers) {
  GraphBuilder a(0), b(2);
  a.with_world(4, R"({"tp":{"desc":"","ranks":[0,1]}})").collective("tp", 0, 10);
  b.with_world(4, R"({"tp":{"desc":"","ranks":[2,3]}})").collective("tp", 0, 10);
  Replayed run({}, a, b);
  EXPECT_EQ(run.job.comm_instances.size(), 0U);
  EXPECT_TRUE(run.diagnostics.table().empty());
}

TEST(ReplayOfRanks, DoesNotMatchNamesakesThatShareTheirFirstRank) {
  const char* of_01 = R"({"1":{"desc":"","ranks":[0,1]}})";
  GraphBuilder a(0), b(1), c(2);
  a.with_world(3, of_01).collective("1", 0, 10);
  b.with_world(3, of_01).collective("1", 0, 10);
  c.with_world(3, R"({"1":{"desc":"","ranks":[0,2]}})").collective("1", 0, 10);
  Replayed run({}, a, b, c);
  ASSERT_EQ(run.job.comm_instances.size(), 1U);
  EXPECT_EQ(run.job.comm_instances[0].kernels.size(), 2U);
  ASSERT_EQ(run.diagnostics.count(Finding::kCommunicationUnmatched), 1U);
  EXPECT_EQ(
      run.diagnostics.table()[0].first[0],
      "group \"1 (2 of the 2 of this name)\": 0 on rank 0, 1 on rank 2; 1 of 1 not on all, first "
      "rank2.et, node 1 (nccl): rows were lost or damaged, or other steps recorded");
}

TEST(ReplayOfRanks, KeepsTheNamesOfGroupsOfWhichCutTracesLackSome) {
  const char* both = R"({"a":{"desc":"","ranks":[0,1,2]},"b":{"desc":"","ranks":[0,1,2]}})";
  GraphBuilder all(0), cut_b(1), cut_a(2);
  all.with_world(3, both).collective("a", 0, 10);
  all.collective("b", 10, 10, {0});
  cut_b.with_world(3, both).collective("a", 0, 10);
  cut_a.with_world(3, both).collective("b", 10, 10);
  Replayed run({}, all, cut_b, cut_a);
  ASSERT_EQ(run.diagnostics.count(Finding::kCommunicationUnmatched), 2U);
  EXPECT_EQ(
      run.diagnostics.table()[0].first[0],
      "group \"a\": 1 on rank 0, 1 on rank 1, 0 on rank 2; 1 of 1 not on all, first rank0.et, "
      "node 1 (nccl): rows were lost or damaged, or other steps recorded");
  EXPECT_EQ(
      run.diagnostics.table()[0].first[1],
      "group \"b\": 1 on rank 0, 0 on rank 1, 1 on rank 2; 1 of 1 not on all, first rank0.et, "
      "node 2 (nccl): rows were lost or damaged, or other steps recorded");
}

TEST(ReplayOfRanks, WarnsOfAMemberThatNeverComes) {
  GraphBuilder a(0), b(1);
  a.with_world(2, R"({"x":{"desc":"","ranks":[0,1]}})").collective("x", 0, 30);
  a.message(true, 0, 1, 30, 10);
  b.with_world(2, R"({"x":{"desc":"","ranks":[0,1]}})").host(1, 0, 10);
  Replayed run({}, a, b);
  ASSERT_EQ(run.diagnostics.count(Finding::kCommunicationUnmatched), 2U);
  EXPECT_EQ(run.diagnostics.table()[0].first[0],
            "messages from rank 0 to rank 1: 1 on rank 0, 0 on rank 1; 1 of 1 not on all, first "
            "rank0.et, node 2 (nccl): rows were lost or damaged, or other steps recorded");
  EXPECT_EQ(run.diagnostics.table()[0].first[1],
            "group \"x\": 1 on rank 0, 0 on rank 1; 1 of 1 not on all, first rank0.et, node 1 "
            "(nccl): rows were lost or damaged, or other steps recorded");
}

TEST(ReplayOfRanks, RefusesGraphsOfJobsOfDifferentSizes) {
  GraphBuilder a(0), b(1);
  a.with_world(2, "{}").host(1, 0, 10);
  b.with_world(8, "{}").host(1, 0, 10);
  EXPECT_EQ(message_of([&] { Replayed run({}, a, b); }),
            "rank1.et: rank 1 is of a job of 8 ranks, rank0.et of one of 2. Pass the graphs or "
            "traces of one job");
}

TEST(ReplayOfRanks, WarnsWhereRanksDidNotRunAtTheSameTime) {
  GraphBuilder a(0), b(1);
  a.host(1, 0, 10);
  b.with_base_time(Ns{3'000'000'010}).host(1, 0, 10);
  Replayed run({}, a, b);
  ASSERT_EQ(run.diagnostics.count(Finding::kRanksApart), 1U);
  EXPECT_EQ(run.diagnostics.table()[0].first[0],
            "rank1.et begins 3000 ms after the others have ended");
}

TEST(ReplayOfRanks, WarnsOfRanksApartAlsoWhereTheirTimesAreNegative) {
  GraphBuilder a(0), b(1);
  a.host(1, -9'000'000'000, 10);
  b.host(1, -1'000'000'000, 10);
  Replayed run({}, a, b);
  ASSERT_EQ(run.diagnostics.count(Finding::kRanksApart), 1U);
  EXPECT_TRUE(run.diagnostics.table()[0].first[0].starts_with("rank1.et begins 7999 ms after"))
      << run.diagnostics.table()[0].first[0];
}

TEST(ReplayOfRanks, WarnsWhereTheOrderOfTypesDiffers) {
  GraphBuilder a(0), b(1);
  a.collective("x", 0, 30, {}, ChakraProtoMsg::ALL_REDUCE);
  b.collective("x", 0, 30, {}, ChakraProtoMsg::ALL_GATHER);
  Replayed run({}, a, b);
  EXPECT_EQ(run.job.comm_instances.size(), 0U);
  EXPECT_EQ(run.diagnostics.count(Finding::kCommunicationUnmatched), 2U);
}

TEST(ReplayOfRanks, PairsSendsAndReceivesByBothEndsAndTag) {
  GraphBuilder a(0), b(1);
  a.host(1, 0, 10);
  a.message(true, 0, 1, 10, 40, {0});
  b.host(1, 0, 45);
  b.message(false, 0, 1, 45, 5, {0});
  Replayed run(with("host=2"), a, b);
  EXPECT_EQ(run.times.end_ns, (Times{20, 95, 90, 95}));
}

TEST(ReplayOfRanks, LetsASendThatHadEndedBeforeTheReceiveBeganWaitForNobody) {
  GraphBuilder a(0), b(1);
  a.message(true, 0, 1, 0, 5);
  b.host(1, 0, 45);
  b.message(false, 0, 1, 45, 5, {0});
  Replayed run(with("host=2"), a, b);
  EXPECT_EQ(run.times.end_ns, (Times{5, 90, 95}));
}

TEST(ReplayOfRanks, PairsMessagesOfAGroupThatEachEndNamesByAnAddressOfItsOwn) {
  GraphBuilder a(0), b(1);
  a.message(true, 0, 1, 10, 40, {}, -1, "94591");
  b.message(false, 0, 1, 45, 5, {}, -1, "12345");
  Replayed run({}, a, b);
  EXPECT_EQ(run.job.comm_instances.size(), 1U);
  EXPECT_TRUE(run.diagnostics.table().empty());
}

TEST(ReplayOfRanks, TakesTheNodesOfOneKernelAsOneWhichWaitsForAllItsMeetings) {
  // A kernel with a send and a receive; rank 1's peers meet it in two kernels.
  GraphBuilder a(0), b(1);
  a.message(true, 0, 1, 0, 50, {}, 9);
  a.message(false, 1, 0, 0, 0, {}, 9);
  b.message(false, 0, 1, 0, 50);
  b.host(1, 0, 40);
  b.message(true, 1, 0, 40, 10, {1});
  Replayed run({}, a, b);
  EXPECT_EQ(run.job.kernels.size(), 3U);
  EXPECT_EQ(run.times.end_ns[0], 50);
  EXPECT_EQ(run.times.end_ns[1], 50);
}

/// An all-reduce every 100 us, without the one lost: there the stream idles, with a delay or none.
void all_reduce_all_but(GraphBuilder& graph, int lost, bool has_delay) {
  std::uint32_t last = graph.host(1, 0, 10'000);
  for (int i = 1; i <= 10; ++i) {
    const Ns start = i * 100'000;
    if (i != lost)
      last = graph.collective("x", start, 60'000, {last});
    else if (has_delay)
      last = graph.device_delay(20, start, 65'000, {last});
  }
}

TEST(ReplayOfRanks, MatchesTheRowsOfRanksThatEachLostAnother) {
  GraphBuilder a(0), b(1);
  all_reduce_all_but(a, 3, false);
  all_reduce_all_but(b, 7, false);
  Replayed run({}, a, b);
  EXPECT_EQ(run.job.comm_instances.size(), 8U);
  for (const CommInstance& instance : run.job.comm_instances)
    EXPECT_EQ(run.job.start_ns(run.job.kernels[instance.kernels[0]].nodes[0]),
              run.job.start_ns(run.job.kernels[instance.kernels[1]].nodes[0]));
  EXPECT_EQ(run.diagnostics.count(Finding::kCommunicationUnmatched), 2U);
}

TEST(ReplayOfRanks, LetsTheDelayThatALostRowLeftStandForIt) {
  GraphBuilder a(0), b(1);
  all_reduce_all_but(a, 0, true);
  all_reduce_all_but(b, 7, true);
  Replayed run(with("comm=2"), a, b);
  ASSERT_EQ(run.job.comm_instances.size(), 10U);
  const CommKernel& lost = run.job.kernels[run.job.comm_instances[6].kernels[1]];
  EXPECT_EQ(run.job.text(lost.nodes.front()), "rank1.et, node 8 (delay)");
  EXPECT_EQ(run.times.end_ns[lost.nodes.front()] - run.times.start_ns[lost.nodes.front()], 130'000);
}

TEST(ReplayOfRanks, PutsRanksOnOneClockByTheirBaseTimes) {
  GraphBuilder a(0), b(1);
  a.with_base_time(1'700'000'000'000'000'000).host(1, 5, 10);
  b.with_base_time(1'700'000'000'000'000'100).host(1, 5, 10);
  Replayed run({}, a, b);
  EXPECT_EQ(run.job.clock_source, ClockSource::kBaseTime);
  EXPECT_EQ(run.shifts(), (Times{0, 100}));
}

TEST(ReplayOfRanks, WithoutBaseTimesAlignsTheEndsOfTheFirstCommonCollective) {
  GraphBuilder a(0), b(1);
  a.without_base_time().collective("x", 100, 50);
  b.collective("x", 1000, 30);
  Replayed run({}, a, b);
  EXPECT_EQ(run.job.clock_source, ClockSource::kCommunication);
  EXPECT_EQ(run.shifts(), (Times{880, 0}));
  EXPECT_EQ(run.times.end_ns[0], run.times.end_ns[1]);
}

TEST(ReplayOfRanks, DoesNotTrustBaseTimesByWhichAnAllReduceEndsBeforeItBegan) {
  GraphBuilder a(0), b(1);
  a.with_base_time(0).collective("x", 100, 50);
  b.with_base_time(5000).collective("x", 100, 30);
  Replayed run({}, a, b);
  EXPECT_EQ(run.job.clock_source, ClockSource::kContradicted);
  EXPECT_EQ(run.diagnostics.count(Finding::kClocksContradict), 1U);
  EXPECT_EQ(run.shifts(), (Times{0, 20}));
}

TEST(ReplayOfRanks, MovesNoClockWhereNothingWasMeasured) {
  GraphBuilder a(0), b(1);
  a.without_starts().collective("x", 0, 100);
  b.without_starts().collective("x", 0, 300);
  Replayed run({}, a, b);
  EXPECT_FALSE(run.job.is_measured);
  EXPECT_EQ(run.job.clock_source, ClockSource::kNoTimes);
  EXPECT_EQ(run.shifts(), (Times{0, 0}));
  EXPECT_TRUE(run.diagnostics.table().empty());
}

TEST(ReplayOfRanks, IsNotMeasuredWhereOneRankTellsNoTimesButItsKernelsMeet) {
  GraphBuilder a(0), b(1);
  a.host(1, 0, 500);
  a.collective("x", 500, 10, {0});
  b.without_starts().collective("x", 0, 20);
  Replayed run({}, a, b);
  EXPECT_FALSE(run.job.is_measured);
  EXPECT_EQ(run.times.end_ns, (Times{500, 510, 520}));
}

TEST(GraphsOfRanks, StandInTheOrderOfTheirNumbers) {
  const auto named = [](const char* name) {
    GraphBuilder builder;
    builder.host(1, 0, 10);
    Graph graph = builder.take();
    graph.rank.reset();
    graph.name = name;
    return graph;
  };
  std::vector<Graph> graphs;
  for (const char* name : {"g.0.et", "g.10.et", "g.11.et", "g.2.et"}) graphs.push_back(named(name));
  graphs.push_back(named("told"));
  graphs.back().rank = 1;
  sort_by_rank(graphs);
  std::string names;
  for (const Graph& graph : graphs) names += graph.name + " ";
  EXPECT_EQ(names, "g.0.et told g.2.et g.10.et g.11.et ");
  Diagnostics diagnostics;
  EXPECT_EQ(make_replay_job(graphs, diagnostics).rank,
            (std::vector<std::int64_t>{0, 1, 2, 10, 11}));
}

TEST(GraphsOfRanks, WhoseRankNothingTellsKeepTheirPlaces) {
  GraphBuilder a, b;
  a.host(1, 0, 10);
  b.host(1, 0, 10);
  std::vector<Graph> graphs;
  graphs.push_back(a.take());
  graphs.push_back(b.take());
  graphs[0].name = "z";
  graphs[1].name = "a";
  for (Graph& graph : graphs) graph.rank.reset();
  sort_by_rank(graphs);
  EXPECT_EQ(graphs[0].name, "z");
  EXPECT_EQ(graphs[1].rank, 1);
}

TEST(ReplayOfRanks, RefusesTwoFilesOfOneRank) {
  GraphBuilder a(3), b(3);
  a.host(1, 0, 1);
  b.host(1, 0, 1);
  EXPECT_THROW(Replayed({}, a, b), Error);
}

TEST(ReplayOfRanks, EndsWithAnErrorWhereRanksWaitForEachOther) {
  // Each rank's second collective depends on its first; the groups come in opposite orders.
  GraphBuilder a(0), b(1);
  a.collective("x", 0, 100);
  a.collective("y", 100, 100, {0});
  b.collective("y", 0, 200);
  b.collective("x", 50, 100, {0});
  const Error error = error_of([&] { Replayed stuck({}, a, b); });
  EXPECT_EQ(error.code(), ErrorCode::kInput);
  EXPECT_NE(std::string(error.what()).find("waits for ever"), std::string::npos) << error.what();
}

TEST(ReplayReportOfRanks, FollowsTheCriticalPathToTheRankThatCameLast) {
  GraphBuilder a(0), b(1);
  a.host(1, 0, 10);
  a.collective("0", 10, 70, {0});
  a.host(1, 80, 5, {1});
  b.host(1, 0, 60);
  b.collective("0", 60, 20, {0});
  Replayed run({}, a, b);
  const auto path = critical_path(run.job, run.times);
  ASSERT_EQ(path.size(), 3U);
  EXPECT_EQ(path[0].node, 3U);  // rank 1's host work
  EXPECT_EQ(path[0].end_ns, 60);
  EXPECT_EQ(path[1].kind, PathKind::kCommunication);
  EXPECT_EQ(path[1].begin_ns, 60);
  EXPECT_EQ(path[2].node, 2U);
}

}  // namespace
}  // namespace nadi
