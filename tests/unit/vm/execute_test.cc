// The virtual machine's clock: what starts when, under the semantics of streams, events and groups.
#include "tests/vm/execute.h"

#include <gtest/gtest.h>

#include "nadi/base/error.h"
#include "tests/vm/builder.h"
#include "tests/vm/programs.h"

namespace nadi::vm {
namespace {

constexpr LaunchCost kCost{5_us, 8_us};  // own time, latency

Span row(const Execution& run, std::size_t row, std::size_t rank = 0) {
  return run.ranks[rank].rows[row].span;
}
Span call(const Execution& run, std::size_t call, std::size_t rank = 0) {
  return run.ranks[rank].calls[call].span;
}

TEST(Execute, ALaunchReturnsAfterItsOwnTimeAndItsRowStartsAfterTheLatency) {
  ProgramBuilder builder("test");
  builder.thread(0, "main").launch(7, "kernel", 100_us, kCost);
  const Execution run = execute(builder.program());
  EXPECT_EQ(call(run, 0).end, 5_us);
  EXPECT_EQ(row(run, 0).start, 8_us);
  EXPECT_EQ(row(run, 0).end, 108_us);
  EXPECT_EQ(run.makespan, 108_us);
}

TEST(Execute, RowsOfAStreamRunInLaunchOrderAndStreamsRunSideBySide) {
  ProgramBuilder builder("test");
  builder.program().row_gap = 1_us;
  ThreadBuilder main = builder.thread(0, "main");
  main.launch(7, "first", 100_us, kCost);
  main.launch(7, "second", 10_us, kCost);
  main.launch(20, "other", 10_us, kCost);
  const Execution run = execute(builder.program());
  EXPECT_EQ(row(run, 1).start, 109_us);  // the gap behind the first
  EXPECT_EQ(row(run, 2).start, 18_us);   // launched at 10
}

TEST(Execute, AnEventWaitHoldsOnlyWhatComesAfterItAndOnlyForWhatCameBeforeTheRecord) {
  ProgramBuilder builder("test");
  ThreadBuilder main = builder.thread(0, "main");
  main.launch(7, "waited for", 50_us, kCost);  // launched at 0: 8 to 58
  const int event = main.record(7, 2_us);
  main.launch(7, "behind the event", 90_us, kCost);
  main.launch(20, "before the wait", 3_us, kCost);  // launched at 12
  main.wait(20, event, 1_us);
  main.launch(20, "after the wait", 3_us, kCost);
  const Execution run = execute(builder.program());
  EXPECT_EQ(row(run, 2).start, 20_us);
  EXPECT_EQ(row(run, 3).start, 58_us);
}

TEST(Execute, N34_AProgrammaticLaunchStartsEarlyButNotBeforeWhatItFollowsStarts) {
  Row early = graph_kernel("early", 7, 5_us, {0}),
      too_early = graph_kernel("too early", 7, 5_us, {1});
  early.early = 3_us;
  too_early.early = 90_us;
  ProgramBuilder builder("test");
  builder.thread(0, "main").graph(7, {graph_kernel("first", 7, 10_us, {}), early, too_early},
                                  kCost);
  const Execution run = execute(builder.program());  // the first: 8 to 18
  EXPECT_EQ(row(run, 1).start, 15_us);
  EXPECT_EQ(row(run, 2).start, 15_us);
}

TEST(Execute, ARowOfAGraphMayTakeLongerToStartThanOthers) {
  Row late = graph_kernel("late", 32, 5_us, {0});
  late.gap = 2_us;
  ProgramBuilder builder("test");
  builder.program().row_gap = 1_us;
  builder.thread(0, "main").graph(
      7, {graph_kernel("first", 7, 10_us, {}), late, graph_kernel("prompt", 7, 5_us, {0})}, kCost);
  const Execution run = execute(builder.program());  // the first: 8 to 18
  EXPECT_EQ(row(run, 1).start, 21_us);
  EXPECT_EQ(row(run, 2).start, 19_us);
}

TEST(Execute, HostNodesOfGraphsScaleAsHostWorkDoes) {
  Row host = graph_kernel("HostNode: cb", 7, 10_us, {});
  host.kind = EventCategory::kHostNode;
  ProgramBuilder builder("test");
  builder.thread(0, "main").graph(7, {host}, kCost);
  Scale scale;
  scale.kernels = 5;
  scale.streams[7] = 7;
  scale.host = 2;
  const Execution run = execute(builder.program(), scale);
  EXPECT_EQ(row(run, 0).end - row(run, 0).start, 20_us);
}

TEST(Execute, AReplayHasTheRowsOfItsGraphWithTimesOfItsOwn) {
  ProgramBuilder builder("test");
  ThreadBuilder main = builder.thread(0, "main");
  const int graph =
      main.graph(7, {graph_kernel("a", 7, 10_us, {}), graph_kernel("b", 7, 4_us, {0})});
  main.replay(graph, [](std::size_t place, Ns duration) {
    return place == 1 ? duration + 1_us : duration;
  });
  main.graph(7, {graph_kernel("other", 7, 1_us, {})});
  const Execution run = execute(builder.program());
  EXPECT_EQ(row(run, 3).end - row(run, 3).start, 5_us);
  const std::vector<Call>& calls = builder.program().ranks[0].calls;
  EXPECT_EQ(calls[0].graph, calls[1].graph);
  EXPECT_NE(calls[0].graph, calls[2].graph);
}

TEST(Execute, K28_AnEventSynchronisationReturnsLateOnlyWhereItHadToWait) {
  ProgramBuilder builder("test");
  builder.program().late_return = 130_us;
  ThreadBuilder main = builder.thread(0, "main");
  main.launch(7, "waited for", 50_us, kCost);  // 8 to 58
  const int event = main.record(7, 2_us);
  main.event_synchronize(event, 3_us);
  main.event_synchronize(event, 3_us);
  const Execution run = execute(builder.program());
  EXPECT_EQ(call(run, 2).end, 191_us);
  EXPECT_EQ(call(run, 3).end, 194_us);
}

TEST(Execute, AWaitOnAnEventThatWasNeverRecordedHoldsNothing) {
  ProgramBuilder builder("test");
  ThreadBuilder main = builder.thread(0, "main");
  main.launch(7, "long", 50_us, kCost);
  main.code().events = 1;
  main.wait(20, 0, 1_us);
  main.launch(20, "free", 3_us, kCost);  // launched at 6
  EXPECT_EQ(row(execute(builder.program()), 1).start, 14_us);
}

TEST(Execute, AWaitPassesThroughAStreamWithoutWork) {
  ProgramBuilder builder("test");
  ThreadBuilder main = builder.thread(0, "main");
  main.launch(7, "source", 50_us, kCost);
  main.wait(16, main.record(7));
  main.wait(20, main.record(16));
  main.launch(20, "sink", 3_us, kCost);
  EXPECT_EQ(row(execute(builder.program()), 1).start, 58_us);
}

TEST(Execute, ALaterRecordOfAnEventReplacesTheEarlier) {
  ProgramBuilder builder("test");
  ThreadBuilder main = builder.thread(0, "main");
  main.launch(7, "early", 10_us, kCost);
  const int event = main.record(7);
  main.launch(7, "late", 80_us, kCost);
  main.record(7, event, 2_us);
  main.wait(20, event);
  main.launch(20, "sink", 3_us, kCost);
  EXPECT_EQ(row(execute(builder.program()), 2).start, row(execute(builder.program()), 1).end);
}

TEST(Execute, BlockingCallsReturnTheirOwnTimeAfterWhatTheyWaitFor) {
  ProgramBuilder builder("test");
  ThreadBuilder main = builder.thread(0, "main");
  main.launch(7, "a", 50_us, kCost);  // 8 to 58
  const int event = main.record(7, 2_us);
  main.launch(7, "b", 50_us, kCost);    // 58 to 108
  main.launch(20, "c", 200_us, kCost);  // launched at 12: 20 to 220
  main.event_synchronize(event, 3_us);
  main.stream_synchronize(7, 4_us);
  main.device_synchronize(5_us);
  main.stream_synchronize(7, 4_us);  // nothing to wait for
  const Execution run = execute(builder.program());
  EXPECT_EQ(call(run, 4).end, 61_us);
  EXPECT_EQ(call(run, 5).end, 112_us);
  EXPECT_EQ(call(run, 6).end, 225_us);
  EXPECT_EQ(call(run, 7).end, 229_us);
}

TEST(Execute, ACopyToPageableMemoryBlocksAndOneToPinnedMemoryDoesNot) {
  ProgramBuilder builder("test");
  ThreadBuilder main = builder.thread(0, "main");
  main.copy(7, "DtoH (Device -> Pinned)", 64, 30_us, kCost);
  main.blocking_copy(7, 64, 10_us, kCost);
  const Execution run = execute(builder.program());
  EXPECT_EQ(call(run, 0).end, 5_us);
  EXPECT_EQ(row(run, 1).end, 48_us);
  EXPECT_EQ(call(run, 1).end, 53_us);
}

TEST(Execute, AQueryDoesNotWaitAndKnowsWhetherTheEventHappened) {
  ProgramBuilder builder("test");
  ThreadBuilder main = builder.thread(0, "main");
  main.launch(7, "kernel", 50_us, kCost);
  const int event = main.record(7, 2_us);
  main.query(event, 1_us);
  main.work(100_us);
  main.query(event, 1_us);
  const Execution run = execute(builder.program());
  EXPECT_EQ(call(run, 2).end, 8_us);
  EXPECT_FALSE(run.ranks[0].calls[2].was_done);
  EXPECT_TRUE(run.ranks[0].calls[3].was_done);
}

TEST(Execute, GraphRowsFollowTheCapturedDependenciesAndLaterWorkFollowsAllOfThem) {
  ProgramBuilder builder("test");
  ThreadBuilder main = builder.thread(0, "main");
  Row left, right, joined;
  left.duration = 20_us;
  right.duration = 7_us;
  right.stream = 32;
  joined.duration = 5_us;
  joined.after = {0, 1};
  main.graph(7, {left, right, joined}, kCost);
  main.launch(7, "behind", 5_us, kCost);
  const Execution run = execute(builder.program());
  EXPECT_EQ(row(run, 0).start, 8_us);
  EXPECT_EQ(row(run, 1).start, 8_us);
  EXPECT_EQ(row(run, 2).start, 28_us);
  EXPECT_EQ(row(run, 3).start, 33_us);
}

TEST(Execute, ACollectiveStartsWhenLaunchedAndEndsAfterTheLastMemberCame) {
  ProgramBuilder builder("test", 2);
  for (int rank = 0; rank < 2; ++rank) {
    ThreadBuilder main = builder.thread(rank, "main");
    main.work(1000_us * rank);
    main.collective(all_reduce(0, 64), 7, 20, 30_us);
  }
  const Execution run = execute(builder.program());
  EXPECT_LT(row(run, 0, 0).start, 100_us);
  EXPECT_EQ(row(run, 0, 1).start, row(run, 0, 0).start + 1000_us);
  EXPECT_EQ(row(run, 0, 0).end, row(run, 0, 1).start + 30_us);
  EXPECT_EQ(row(run, 0, 1).end, row(run, 0, 1).start + 30_us);
}

TEST(Execute, MessagesMeetInOrderPerSourceAndDestination) {
  ProgramBuilder builder("test", 2);
  ThreadBuilder sender = builder.thread(0, "main"), receiver = builder.thread(1, "main");
  sender.collective(send(0, 1, 64), 7, 20, 10_us);
  sender.work(500_us);
  sender.collective(send(0, 1, 64), 7, 20, 10_us);
  receiver.collective(recv(0, 0, 64), 7, 20, 10_us);
  receiver.collective(recv(0, 0, 64), 7, 20, 10_us);
  const Execution run = execute(builder.program());
  EXPECT_LT(row(run, 0, 1).end, 100_us);
  EXPECT_EQ(row(run, 1, 1).end, row(run, 1, 0).end);
  EXPECT_GT(row(run, 1, 1).end, 500_us);
}

TEST(Execute, ACoalescedKernelEndsWhenAllItsMessagesHaveMet) {
  ProgramBuilder builder("test", 3);  // 0 sends to 1 and to 2; 2 is late
  ThreadBuilder root = builder.thread(0, "main");
  root.coalesced({send(0, 1, 64), send(0, 2, 64)}, 7, 20, 10_us);
  builder.thread(1, "main").collective(recv(0, 0, 64), 7, 20, 10_us);
  ThreadBuilder late = builder.thread(2, "main");
  late.work(400_us);
  late.collective(recv(0, 0, 64), 7, 20, 10_us);
  const Execution run = execute(builder.program());
  EXPECT_EQ(row(run, 0, 0).end, row(run, 0, 2).start + 10_us);
  EXPECT_LT(row(run, 0, 1).end, 100_us);
}

TEST(Execute, TheForwardThreadIsIdleWhileTheBackwardThreadWorks) {
  ProgramBuilder builder("test");
  builder.program().hand_off_latency = 3_us;
  ThreadBuilder main = builder.thread(0, "main"), engine = builder.thread(0, "engine");
  int before = -1, during = -1, after = -1;
  before = main.op("before", 10_us);
  main.hand_over(engine, [&] { during = engine.op("during", 20_us); });
  after = main.op("after", 10_us);
  const auto ops = execute(builder.program()).ranks[0].ops;
  EXPECT_EQ(ops[static_cast<std::size_t>(before)].span.end, 10_us);
  EXPECT_EQ(ops[static_cast<std::size_t>(during)].span.start, 13_us);
  EXPECT_EQ(ops[static_cast<std::size_t>(after)].span.start, 36_us);
}

TEST(Execute, MissingMembersAndMissingSignalsAreErrorsNotHangs) {
  ProgramBuilder lonely("lonely", 2);
  lonely.thread(0, "main").collective(all_reduce(0, 64), 7, 20, 30_us);
  lonely.thread(1, "main");
  EXPECT_THROW(execute(lonely.program()), Error);
  ProgramBuilder mute("mute");
  mute.thread(0, "main").await(0);
  EXPECT_THROW(execute(mute.program()), Error);
}

TEST(Execute, EachFactorOfAScaleMovesWhatItNames) {
  ProgramBuilder builder("test");
  ThreadBuilder main = builder.thread(0, "main");
  main.work(100_us);  // idle: never scales
  main.op("aten::op", [&] {
    main.work(10_us);
    main.launch(7, "kernel", 40_us, kCost);
    main.launch(20, "side", 40_us, kCost);
  });
  const Program program = builder.take();
  auto makespan = [&](const Scale& scale) { return execute(program, scale).makespan; };
  EXPECT_EQ(makespan({}), 163_us);  // 100 + 10 + 5 + 8 + 40
  Scale scale;
  scale.host = 2;
  EXPECT_EQ(makespan(scale), 178_us);
  scale = {};
  scale.kernels = 0.5;
  EXPECT_EQ(makespan(scale), 143_us);
  scale = {};
  scale.streams[20] = 2;
  EXPECT_EQ(makespan(scale), 203_us);
  scale = {};
  scale.names.emplace_back("^side$", 0.1);
  EXPECT_EQ(makespan(scale), 158_us);  // the other row ends last now
  scale = {};
  scale.names.emplace_back("aten::op", 3);
  EXPECT_EQ(makespan(scale), 183_us);  // own time, not the calls
  scale = {};
  scale.communication = 7;
  EXPECT_EQ(makespan(scale), 163_us);
}

TEST(Execute, ASlowerNetworkDelaysWhatWaitsForItAndNotWhatOverlapsIt) {
  const Program program = ddp_step(2);
  const Ns before = execute(program).makespan;
  Scale scale;
  scale.communication = 10;
  const Execution slow = execute(program, scale);
  EXPECT_GT(slow.makespan, before + 400_us);
  scale.communication = 0.01;
  EXPECT_LE(execute(program, scale).makespan, before);
}

TEST(Execute, TheSameProgramRunsTheSameTwice) {
  for (const std::string& name : program_names()) {
    const Execution a = execute(make_program(name)), b = execute(make_program(name));
    ASSERT_EQ(a.makespan, b.makespan) << name;
    for (std::size_t rank = 0; rank < a.ranks.size(); ++rank)
      for (std::size_t i = 0; i < a.ranks[rank].rows.size(); ++i)
        ASSERT_EQ(row(a, i, rank).start, row(b, i, rank).start) << name;
  }
}

}  // namespace
}  // namespace nadi::vm
