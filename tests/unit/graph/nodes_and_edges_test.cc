// How rows become nodes, and what each of them waits for.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/graph/trace_graph.h"

namespace nadi {
namespace {

using namespace test;

TEST(HostLanes, OwnTimeIsCutAtChildrenLaunchesAndBlockingCalls) {
  const TraceGraph g({op("a", 0, 50, 1), op("b", 10, 10, 2), launch(30, 2, 11),
                      call("cudaStreamSynchronize", 40, 5, 12), sync("Stream Sync", 40, 12, 7),
                      row("k", 33, 10, 11)});
  EXPECT_EQ(g.labels(),
            (Labels{"a", "b", "a@20", "a@30", "k", "cudaStreamSynchronize@43", "a@45"}));
  EXPECT_EQ(g.duration_us("a"), 10);
  EXPECT_EQ(g.duration_us("a@20"), 10);
  EXPECT_EQ(g.duration_us("a@30"), 10);
  EXPECT_EQ(g.duration_us("cudaStreamSynchronize@43"), 2);
  EXPECT_EQ(g.graph.exclusive_ns[0], 40000);  // 50 less b's 10; the call is a's own
}

TEST(HostLanes, OwnTimeOfAnAnnotationIsNoWorkButThatOfAnAnnotationInAnOpIs) {
  const TraceGraph outside({annotation("note", 0, 30), op("a", 10, 5, 1)});
  EXPECT_EQ(outside.labels(), (Labels{"note", "a"}));
  EXPECT_EQ(outside.duration_us("note"), 0);
  const TraceGraph inside({op("a", 0, 30, 1), annotation("note", 10, 5)});
  EXPECT_EQ(inside.labels(), (Labels{"a", "note", "a@15"}));
  EXPECT_EQ(inside.duration_us("note"), 5);
}

TEST(HostLanes, ACallThatNeitherLaunchesNorBlocksIsANodeOutsideOps) {
  const Lines calls = {call("cudaGetDevice", 5, 2, 11), call("cudaEventRecord", 40, 2, 12),
                       call("cudaEventQuery", 50, 2, 13)};
  Lines events = calls;
  events.push_back(op("a", 0, 30, 1));
  const TraceGraph g(events);
  EXPECT_EQ(g.labels(), (Labels{"a", "cudaEventRecord@40"})) << "a query may be how it waits";
  EXPECT_EQ(g.duration_us("cudaEventRecord@40"), 2);
  EXPECT_EQ(TraceGraph(calls).labels(), Labels{}) << "a thread that nobody waits for";
}

TEST(Launches, ThatBeginWithAnOpAndDoNotNameItAreBeforeIt) {
  const auto source = [](const char* id) {
    Lines events = ops_with_calls(true);
    for (const std::string& event :
         {op("before", 1000, 5, 51, 100, R"("External id": 51)"),
          op("with", 1010, 10, 52, 100, R"("External id": 52)"),
          event("cuda_runtime", "cudaLaunchKernel", 1010, 1, thread(100),
                fmt::format(R"("correlation": 11, "External id": {})", id)),
          row("k", 1015, 1, 11)})
      events.push_back(event);
    return TraceGraph(events).before("k", Evidence::kLaunch);
  };
  EXPECT_EQ(source("52"), Labels{"with"});
  EXPECT_EQ(source("0"), Labels{"before"});
}

TEST(Launches, ALongCallLaunchesAsLongBeforeItsRowAsShortCallsDo) {
  // The first row starts 4 us after its call begins, on an idle stream.
  const TraceGraph g({op("a", 0, 10, 1), launch(1, 2, 11), row("k1", 5, 5, 11), op("b", 20, 500, 2),
                      launch(30, 400, 12), row("k2", 420, 5, 12)});
  EXPECT_EQ(g.labels(), (Labels{"a", "a@1", "k1", "b", "b@416", "k2"}));
  EXPECT_EQ(g.before("k2", Evidence::kLaunch), Labels{"b"});
  EXPECT_EQ(g.duration_us("b"), 396);
}

TEST(Launches, ALongCallTakesNoLatencyFromARowThatMayHaveQueuedBehindALostOne) {
  const TraceGraph g({op("a", 0, 10, 1), launch(1, 1, 10), launch(3, 2, 11), row("k1", 9, 5, 11),
                      op("b", 20, 500, 2), launch(30, 400, 12), row("k2", 420, 5, 12)});
  EXPECT_EQ(g.duration_us("b"), 400);
}

TEST(Launches, ALongCallLaunchesAtTheLatestWhenItReturns) {
  const TraceGraph g(
      {launch(1, 2, 11), row("k1", 5, 5, 11), launch(30, 100, 12), row("k2", 900, 5, 12)});
  EXPECT_EQ(g.before("k2", Evidence::kLaunch), Labels{"cudaLaunchKernel@29"});
  EXPECT_EQ(g.duration_us("cudaLaunchKernel@29"), 100);
}

TEST(Launches, ALongCopyFromPageableMemoryLaunchesAsItBegins) {
  const TraceGraph g({op("a", 0, 500, 1), call("cudaMemcpyAsync", 30, 400, 12),
                      row("Memcpy HtoD (Pageable -> Device)", 420, 50, 12, 7, "", "gpu_memcpy")});
  EXPECT_EQ(g.duration_us("a"), 30);
}

TEST(Launches, ARowOfAKnownOpFollowsWhatCameBeforeTheOp) {
  Lines events;
  for (int i = 0; i < 21; ++i) {
    const std::string id = "\"External id\": " + std::to_string(i + 1);
    events.push_back(op("op" + std::to_string(i), i * 10, 8, 0, 100, id));
    if (i < 20) events.push_back(launch(i * 10 + 1, 2, 100 + i));
    events.push_back(row("k" + std::to_string(i), 300 + i * 10, 5, 100 + i, 7, id));
  }
  const TraceGraph g(events);
  EXPECT_EQ(g.before("k20", Evidence::kLaunch), Labels{"op19@191"});
  EXPECT_EQ(g.before("k20", Evidence::kNesting),
            Labels{});  // it was launched in what is op20's node
}

TEST(Launches, ARowOfAKnownOpFollowsWhatTheOpDidBeforeTheCallBeforeItByCorrelation) {
  const TraceGraph g({op("a", 0, 200, 0, 100, "\"External id\": 5"), launch(10, 5, 11),
                      launch(40, 5, 12), launch(90, 5, 14), row("k11", 60, 5, 11),
                      row("k12", 70, 5, 12), row("lost", 120, 5, 13, 8, "\"External id\": 5"),
                      row("k14", 130, 5, 14)});
  EXPECT_EQ(g.before("lost", Evidence::kLaunch), Labels{"a@10"});
  EXPECT_EQ(g.before("lost", Evidence::kNesting), Labels{"a"});
}

TEST(Launches, ARowOfAKnownOpMayHaveBeenLaunchedInAnAnnotationInsideIt) {
  const TraceGraph g({op("a", 0, 200, 0, 100, "\"External id\": 5"), annotation("inside", 50, 60),
                      launch(40, 5, 11), call("cudaEventRecord", 60, 1, 12), row("k11", 70, 5, 11),
                      row("lost", 120, 5, 13, 8, "\"External id\": 5")});
  EXPECT_EQ(g.before("lost", Evidence::kLaunch), Labels{"a@40"});
}

TEST(Launches, ARowMayNameAnAnnotationAsWhatItWasLaunchedIn) {
  const std::string id = "\"External id\": 5";
  const TraceGraph g({op("a", 0, 20), event("user_annotation", "step", 30, 60, thread(100), id),
                      row("lost", 40, 5, 13, 8, id)});
  EXPECT_EQ(g.before("lost", Evidence::kLaunch), Labels{"a"});
}

TEST(StreamOrder, RowsOfAGraphLaunchWhoseCallIsLostAreOneLaunch) {
  const auto graph_row = [](const char* name, double ts, int correlation) {
    return row(name, ts, 10, correlation, 7, "\"graph id\": 3");
  };
  const TraceGraph g({graph_row("a", 10, 11), graph_row("b", 15, 11), graph_row("c", 22, 11),
                      graph_row("next", 40, 12)});
  EXPECT_EQ(g.before("b", Evidence::kStreamOrder), Labels{});
  EXPECT_EQ(g.before("c", Evidence::kGraphOrder), Labels{"a"});
  EXPECT_EQ(g.before("next", Evidence::kStreamOrder), (Labels{"b", "c"}));
}

TEST(StreamOrder, OfTwoLaunchesHoldsEveryRowThatNobodyInTheFirstWaitedFor) {
  const TraceGraph g({call("cudaGraphLaunch", 1, 2, 11), row("a", 10, 10, 11), row("b", 12, 4, 11),
                      launch(4, 1, 12), row("next", 21, 5, 12)});
  EXPECT_EQ(g.before("next", Evidence::kStreamOrder), (Labels{"a", "b"}));
}

/// One row after the other on one stream, `step` apart, of one graph launch at `ts`.
Lines graph_rows(int count, double step, double duration, double ts = 1, int correlation = 11) {
  Lines events = {call("cudaGraphLaunch", ts, 5, correlation)};
  for (int i = 0; i < count; ++i)
    events.push_back(row("k" + std::to_string(i), ts + 9 + i * step, duration, correlation));
  return events;
}

TEST(StreamOrder, RowsOfAGraphThatAllBeginALittleEarlyAreAChain) {
  const TraceGraph g(graph_rows(17, 8, 10));
  EXPECT_EQ(g.before("k1", Evidence::kGraphOrder), Labels{"k0"});
  EXPECT_EQ(g.before("k16", Evidence::kGraphOrder), Labels{"k15"});
  EXPECT_EQ(g.diagnostics.count(Finding::kOverlap), 16U);
  EXPECT_EQ(g.diagnostics.table().size(), 1U);
}

TEST(StreamOrder, BranchesOfAGraphThatTakeTurnsAreNoChain) {
  const TraceGraph g(graph_rows(40, 3, 6));  // k2 begins when k0 ends, k3 when k1 ends
  EXPECT_EQ(g.before("k1", Evidence::kGraphOrder), Labels{});
  EXPECT_EQ(g.before("k3", Evidence::kGraphOrder), (Labels{"k0", "k1"}));
}

TEST(StreamOrder, AFewRowsThatOverlapALittleInEveryLaunchOfTheirGraphAreNoChain) {
  Lines events;
  for (int launch = 0; launch < 20; ++launch) {
    const Lines rows = graph_rows(3, 8, 10, 1 + 50 * launch, 11 + launch);
    events.insert(events.end(), rows.begin(), rows.end());
  }
  const TraceGraph g(events);
  EXPECT_EQ(g.before("k1", Evidence::kGraphOrder), Labels{});
  EXPECT_EQ(g.diagnostics.count(Finding::kOverlap), 0U);
}

TEST(StreamOrder, RowsOfAChainThatOverlapFarInAnotherLaunchRunSideBySide) {
  Lines events = graph_rows(20, 8, 10);
  events.push_back(call("cudaGraphLaunch", 200, 5, 12));
  for (int i = 0; i < 20; ++i)  // the fourth begins right after the third
    events.push_back(
        row("k" + std::to_string(i), 300 + i * 8 - (i == 3 ? 7 : 0), i == 3 ? 17 : 10, 12));
  const TraceGraph g(events);
  // Both launches have a "k3"; in neither it waits for "k2".
  EXPECT_EQ(g.before("k3", Evidence::kGraphOrder), (Labels{"k1", "k1"}));
  EXPECT_EQ(g.before("k8", Evidence::kGraphOrder), (Labels{"k7", "k7"}));
}

/// Rows of a stream, 20 us apart, of which the first `early` begin 9 us before the one before ends.
Lines stream_rows(int count, int early) {
  Lines events;
  double start = 1000;
  for (int i = 0; i < count; ++i) {
    events.push_back(call("cudaLaunchKernel", i, 0.5, 100 + i));
    events.push_back(row("k" + std::to_string(i), start, 20, 100 + i));
    start += i < early ? 11 : 20;
  }
  return events;
}

TEST(StreamOrder, ALaneOfManyFarOverlapsIsNoQueue) {
  const TraceGraph g(stream_rows(100, 10));
  EXPECT_EQ(g.before("k1", Evidence::kStreamOrder), Labels{});
  EXPECT_EQ(g.before("k2", Evidence::kStreamOrder), Labels{"k0"});
  EXPECT_EQ(g.before("k50", Evidence::kStreamOrder), Labels{"k49"});
  EXPECT_TRUE(g.diagnostics.table().empty());
}

TEST(StreamOrder, ALaneOfFewFarOverlapsIsAQueue) {
  for (const TraceGraph& g : {TraceGraph(stream_rows(20, 1)), TraceGraph(stream_rows(1000, 9))})
    EXPECT_EQ(g.before("k2", Evidence::kStreamOrder), Labels{"k1"});
}

TEST(GraphLanes, ARowWaitedForTheOneRowWhoseEndExplainsItsStart) {
  // On stream 7 rows start 1 us after each other's end, and `after` starts 1 us after the last.
  const auto waited_for = [](double end_of_beside) {
    const TraceGraph g({call("cudaGraphLaunch", 10, 5, 11), row("k0", 20, 9, 11),
                        row("k1", 30, 9, 11), row("k2", 40, 9, 11), row("k3", 50, 9, 11),
                        row("k4", 60, 10, 11), row("first", 20, 20, 11, 9),
                        row("after", 71, 9, 11, 9), row("beside", 20, end_of_beside - 20, 11, 10)});
    return g.before("after", Evidence::kGraphOrder);
  };
  EXPECT_EQ(waited_for(50), (Labels{"first", "k4"}));
  EXPECT_EQ(waited_for(70), Labels{"first"});            // either may be it
  EXPECT_EQ(waited_for(69), Labels{"first"});            // whole microseconds do not tell
  EXPECT_EQ(waited_for(69.5), (Labels{"first", "k4"}));  // others do
}

TEST(Waits, AnEventPassesOnWhatItsStreamWaitedFor) {
  const auto wait = [](double ts, int correlation, int on, int from, int record) {
    return sync("Stream Wait Event", ts, correlation, on,
                fmt::format(R"("wait_on_stream": {}, "wait_on_cuda_event_record_corr_id": {})",
                            from, record));
  };
  // 7 -> 8 -> 9, and nothing runs on 8.
  const TraceGraph g({launch(1, 1, 11), row("k7", 5, 10, 11), call("cudaEventRecord", 3, 1, 12),
                      call("cudaStreamWaitEvent", 4, 1, 13), wait(4, 13, 8, 7, 12),
                      call("cudaEventRecord", 5, 1, 14), call("cudaStreamWaitEvent", 6, 1, 15),
                      wait(6, 15, 9, 8, 14), launch(8, 1, 16), row("k9", 16, 5, 16, 9)});
  EXPECT_EQ(g.before("k9", Evidence::kEventWait), Labels{"k7"});
}

TEST(Waits, ForMoreStreamsThanAnyDeviceHasAreForThoseThatEndLast) {
  Lines events;
  constexpr int kStreams = 300;
  for (int i = 0; i < kStreams; ++i) {
    events.push_back(launch(10 * i, 1, i + 1));
    events.push_back(row(fmt::format("k{}", i), 10 * i + 2, 1, i + 1, i + 1));
  }
  events.push_back(call("cudaDeviceSynchronize", 10 * kStreams, 1, kStreams + 1));
  const TraceGraph g(events);
  const Labels waited_for =
      g.before(fmt::format("cudaDeviceSynchronize@{}", 10 * kStreams), Evidence::kSynchronisation);
  ASSERT_EQ(waited_for.size(), 256U);
  EXPECT_EQ(waited_for.front(), "k44");
  EXPECT_EQ(waited_for.back(), "k299");
  EXPECT_EQ(g.diagnostics.count(Finding::kWaitsForTooManyStreams), 44U);
}

TEST(Waits, ForStreamsWithManyRowsSideBySideAreForThoseThatEndLast) {
  Lines events;
  constexpr int kStreams = 6, kRows = 64;
  for (int stream = 1; stream <= kStreams; ++stream) {
    events.push_back(call("cudaGraphLaunch", 10 * stream, 5, stream));
    for (int i = 0; i < kRows; ++i)
      events.push_back(row(fmt::format("k{}", stream), 100 * stream, 50 + i % 3, stream, stream));
  }
  events.push_back(call("cudaDeviceSynchronize", 80, 800, kStreams + 1));
  const TraceGraph g(events);
  const Labels waited_for = g.before("cudaDeviceSynchronize@642", Evidence::kSynchronisation);
  ASSERT_EQ(waited_for.size(), 256U);
  EXPECT_EQ(waited_for.front(), "k3");
  EXPECT_EQ(waited_for.back(), "k6");
  EXPECT_EQ(g.diagnostics.count(Finding::kWaitsForTooManyStreams), 2U);
}

TEST(Waits, ARecordTellsOfARowWhoseCallIsLostByCorrelation) {
  const auto events = [](int correlation) {
    return Lines{call("cudaEventRecord", 5, 1, 10),
                 call("cudaEventRecord", 20, 1, 12),
                 call("cudaStreamWaitEvent", 30, 1, 13),
                 launch(40, 1, 14),
                 row("work", 60, 50, correlation, 7),
                 row("waits", 115, 5, 14, 8),
                 sync("Stream Wait Event", 30, 13, 8,
                      R"("wait_on_stream": 7, "wait_on_cuda_event_record_corr_id": 12)")};
  };
  EXPECT_EQ(TraceGraph(events(11)).before("waits", Evidence::kEventWait), Labels{"work"});
  EXPECT_EQ(TraceGraph(events(15)).before("waits", Evidence::kEventWait), Labels{});
}

TEST(Waits, WhatAnEarlierNodeOfTheLaneWaitedForIsNotWaitedForAgain) {
  const TraceGraph g({launch(1, 1, 11), row("k", 5, 10, 11),
                      call("cudaStreamSynchronize", 6, 10, 12), sync("Stream Sync", 6, 12, 7),
                      call("cudaDeviceSynchronize", 20, 2, 13), sync("Context Sync", 20, 13, -1)});
  EXPECT_EQ(g.before("cudaStreamSynchronize@14", Evidence::kSynchronisation), Labels{"k"});
  EXPECT_EQ(g.before("cudaDeviceSynchronize@19", Evidence::kSynchronisation), Labels{});
}

TEST(Waits, StayWhereTheirWorkSeemsToEndLittleAfterTheyReturned) {
  const auto graph = [](double returned) {
    return TraceGraph({launch(1, 0.5, 11), row("k", 2, 30, 11),
                       call("cudaStreamSynchronize", 6, returned - 6, 12),
                       sync("Stream Sync", 6, 12, 7)});
  };
  const TraceGraph close = graph(32 - 9.5), far = graph(32 - 10.5);
  EXPECT_EQ(close.before("cudaStreamSynchronize@21", Evidence::kSynchronisation), Labels{"k"});
  EXPECT_EQ(close.duration_us("cudaStreamSynchronize@21"), 0);
  EXPECT_EQ(close.diagnostics.count(Finding::kOverlap), 1U);
  EXPECT_EQ(far.before("cudaStreamSynchronize@5", Evidence::kSynchronisation), Labels{});
}

TEST(Waits, AreForWhatTheStreamWasGivenLastWhateverADamagedRowSaysOfItsStart) {
  const auto waited_for = [](double start_of_b) {
    const TraceGraph g({launch(1, 1, 11), launch(3, 1, 12), launch(5, 1, 13), row("a", 5, 10, 11),
                        row("b", start_of_b, 10, 12), row("c", 25, 10, 13),
                        call("cudaStreamSynchronize", 8, 28, 14), sync("Stream Sync", 8, 14, 7)});
    return g.before("cudaStreamSynchronize@34", Evidence::kSynchronisation);
  };
  EXPECT_EQ(waited_for(15), Labels{"c"});
  EXPECT_EQ(waited_for(3000), Labels{"c"});
}

TEST(Waits, ForADamagedRowAreForWhatTheStreamWasGivenBeforeIt) {
  const TraceGraph g({launch(1, 1, 11), launch(3, 1, 12), row("a", 5, 10, 11),
                      row("b", 3015, 10, 12), call("cudaEventRecord", 5, 1, 13),
                      call("cudaStreamSynchronize", 8, 28, 14), sync("Stream Sync", 8, 14, 7),
                      call("cudaStreamWaitEvent", 40, 1, 15),
                      sync("Stream Wait Event", 40, 15, 9,
                           R"("wait_on_stream": 7, "wait_on_cuda_event_record_corr_id": 13)"),
                      launch(42, 1, 16), row("other", 46, 10, 16, 9)});
  EXPECT_EQ(g.before("cudaStreamSynchronize@14", Evidence::kSynchronisation), Labels{"a"});
  EXPECT_EQ(g.before("other", Evidence::kEventWait), Labels{"a"});
  EXPECT_EQ(g.diagnostics.count(Finding::kBackwardEdge), 2U);
}

std::string all_reduce(double ts, double dur, int correlation, int stream, const char* group) {
  return row(fmt::format("ncclDevKernel_AllReduce_{}", correlation), ts, dur, correlation, stream,
             fmt::format(R"("Collective name": "allreduce", "Process Group Name": "{}")", group));
}

TEST(Waits, ACopyFromPageableMemoryWaitsForItsStream) {
  const TraceGraph g({launch(1, 2, 11), row("k", 5, 200, 11), op("a", 10, 300, 1),
                      call("cudaMemcpyAsync", 20, 280, 12),
                      row("Memcpy HtoD (Pageable -> Device)", 290, 60, 12, 7, "", "gpu_memcpy")});
  EXPECT_EQ(g.before("cudaMemcpyAsync@204", Evidence::kSynchronisation), Labels{"k"});
  EXPECT_EQ(g.duration_us("cudaMemcpyAsync@204"), 95);
}

TEST(GroupOrder, CollectivesOfOneGroupFollowEachOtherAcrossStreams) {
  const TraceGraph g({launch(1, 1, 11), launch(3, 1, 12), launch(5, 1, 13),
                      all_reduce(10, 5, 11, 20, "0"), all_reduce(16, 5, 12, 21, "0"),
                      all_reduce(17, 5, 13, 22, "1")});
  EXPECT_EQ(g.before("ncclDevKernel_AllReduce_12", Evidence::kGroupOrder),
            Labels{"ncclDevKernel_AllReduce_11"});
  EXPECT_EQ(g.before("ncclDevKernel_AllReduce_13", Evidence::kGroupOrder), Labels{});
}

TEST(GroupOrder, ComesBeforeAGuessOfTheSameEdge) {
  const TraceGraph g({op("before", 0, 4, 1), launch(1, 1, 11), all_reduce(10, 20, 11, 20, "0"),
                      op("record_param_comms", 5, 10, 2), call("cudaEventRecord", 6, 1, 12),
                      call("cudaStreamWaitEvent", 8, 1, 13), launch(10, 1, 14),
                      all_reduce(31, 5, 14, 21, "0")});
  const Sources sources = g.graph.data_dependencies(g.vertex("ncclDevKernel_AllReduce_14"));
  std::vector<Edge> edges;
  for (auto source = sources.begin(); source != sources.end(); ++source)
    if (*source == g.vertex("ncclDevKernel_AllReduce_11")) edges.push_back(source.edge());
  ASSERT_EQ(edges.size(), 2U);
  EXPECT_EQ(edges[0].evidence, Evidence::kGroupOrder);
  EXPECT_EQ(edges[1].evidence, Evidence::kEventWait);
  EXPECT_TRUE(is_guess(edges[1].inferred));
}

// Replicas run forward in threads of their own and do not call backward().
TEST(HandOff, ABackwardThreadOfForwardOpsOfSeveralThreadsIsThatOfTheOneThatBeganFirst) {
  const auto forward = [](int seq) { return fmt::format(R"("Sequence number": {})", seq); };
  const auto backward = [](int seq, int thread) {
    return fmt::format(R"("Sequence number": {}, "Fwd thread id": {})", seq, thread);
  };
  const TraceGraph g({op("replica", 12, 10, 2, 50, forward(2)),
                      op("input", 0, 10, 1, 100, forward(1)), op("loss", 24, 5, 3, 100),
                      op("bwd replica", 32, 5, 4, 200, backward(2, 2)),
                      op("bwd input", 38, 5, 5, 200, backward(1, 1)), op("step", 50, 5, 6, 100)});
  EXPECT_EQ(g.before("step", Evidence::kThreadHandOff), Labels{"bwd input"});
  const Labels waited = g.before("bwd replica", Evidence::kThreadHandOff);
  EXPECT_EQ(std::count(waited.begin(), waited.end(), "loss"), 1);
}

/// Of each turn: a thread begins with "give" at this time, with "more" right behind it, and puts
/// something into a queue between them; another takes it so long after that begins, and is done
/// with its "use" so much later.
struct Turn {
  int give_us, taken_after_us, used_for_us;
};
TraceGraph through_queue(const std::vector<Turn>& turns) {
  Lines events;
  int id = 0;
  for (const auto& [give, taken_after, used_for] : turns) {
    events.push_back(op("give", give, 5, ++id, 100));
    events.push_back(op("more", give + 8, 4, ++id, 100));
    events.push_back(op("take", give + taken_after, 5, ++id, 200));
    events.push_back(op("use", give + taken_after + 6, used_for, ++id, 200));
  }
  return TraceGraph(events);
}

const std::vector<Turn> kWaitedForEach = {{0, 30, 20},   {110, 31, 30}, {220, 30, 17},
                                          {300, 32, 40}, {420, 30, 25}, {540, 31, 35},
                                          {640, 30, 20}};

TEST(HandOff, AThreadThatAlwaysGoesOnAsLongAfterAPlaceOfAnotherWaitsForIt) {
  const TraceGraph g = through_queue(kWaitedForEach);
  EXPECT_EQ(g.before("take", Evidence::kThreadHandOff), Labels(7, "give"));
}

TEST(HandOff, AThreadThatWasStartedJustBeforeIsNoSourceWhereBothMayWaitForAThird) {
  const auto starts_two = [](const std::vector<int>& begins) {
    Lines events;
    int id = 0, turn = 0;
    for (const int begin : begins) {
      // "first" begins 18 to 20 us after "give", and "second" always 10 us after it.
      const int first = begin + 23 + turn++ % 3;
      events.push_back(op("give", begin, 5, ++id, 100));
      events.push_back(op("first", first, 3, ++id, 200));
      events.push_back(op("second", first + 10, 3, ++id, 300));
    }
    return TraceGraph(events);
  };
  const TraceGraph g = starts_two({0, 110, 250, 340, 470, 610, 700, 850});
  EXPECT_EQ(g.before("second", Evidence::kThreadHandOff), Labels(8, "give"));
}

TEST(HandOff, AThreadThatAlwaysTakesAsLongBeforeItGoesOnWaitsForNoOther) {
  const TraceGraph g = through_queue({{0, 30, 20},
                                      {104, 31, 33},
                                      {217, 41, 20},
                                      {321, 36, 41},
                                      {437, 43, 27},
                                      {550, 37, 20},
                                      {660, 35, 22}});
  EXPECT_EQ(g.before("take", Evidence::kThreadHandOff), Labels{});
}

}  // namespace
}  // namespace nadi
