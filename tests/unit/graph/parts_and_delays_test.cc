// What happens once all edges are known: steps, parts that join, delays, ids; beyond what the
// folders of tests/golden show.
#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/graph/trace_graph.h"

namespace nadi {
namespace {

using namespace test;

GraphOptions min_part(Ns ns) {
  GraphOptions options = TraceGraph::without_delays();
  options.min_part_ns = ns;
  return options;
}
GraphOptions delays(Delays which) {
  GraphOptions options;
  options.delays = which;
  return options;
}

/// An op with four launches, 2 us apart; rows start 5 us after their launch begins.
const Lines kLaunches = {op("a", 0, 10, 1),      launch(2, 1, 11),        launch(4, 1, 12),
                         launch(6, 1, 13),       launch(8, 1, 14),        row("k1", 7, 1, 11, 7),
                         row("k2", 9, 1, 12, 8), row("k3", 11, 1, 13, 9), row("k4", 13, 1, 14, 10)};

TEST(JoinParts, APartAsLongAsAllowedJoinsAndALongerOneDoesNot) {
  EXPECT_EQ(TraceGraph(kLaunches, min_part(1999)).size(), 9U);
  EXPECT_EQ(TraceGraph(kLaunches, min_part(2000)).size(), 7U);
}

TEST(JoinParts, LatenessThatASynchronisationPassesOnCountsInAll) {
  // k1 is 2 us late, so is the call that waits for it, so k2 may not become later still.
  const TraceGraph g({op("a", 0, 4, 1), launch(2, 1, 11), row("k1", 7, 5, 11),
                      call("cudaStreamSynchronize", 5, 8, 12), sync("Stream Sync", 5, 12, 7),
                      op("b", 13, 4, 2), launch(15, 1, 13), row("k2", 20, 5, 13)},
                     min_part(2000));
  EXPECT_EQ(g.vertex("a@2"), kNoIndex);
  EXPECT_NE(g.vertex("b@15"), kNoIndex);
  EXPECT_EQ(g.graph.lateness_ns, 2000);
}

TEST(JoinParts, ARowWhoseLaunchTimeNobodyKnowsIsNotLate) {
  GraphOptions options = TraceGraph::without_delays();
  options.join_all_parts = true;
  const TraceGraph g({op("a", 0, 200, 0, 100, "\"External id\": 5"), launch(40, 5, 11),
                      row("k11", 300, 5, 11), row("lost", 400, 5, 13, 8, "\"External id\": 5")},
                     options);
  EXPECT_EQ(g.graph.lateness_ns, 160'000);  // k11 was launched at 40
}

const Lines kIdle = {op("a", 10, 10, 1), launch(12, 1, 11), row("k1", 30, 10, 11),
                     op("b", 50, 10, 2), launch(52, 1, 12), row("k2", 90, 10, 12)};

TEST(UnexplainedTime, IsMeasuredPerLane) {
  EXPECT_EQ(TraceGraph(kIdle).graph.lane_unexplained_ns, (std::vector<Ns>{30000, 56000}));
}

TEST(UnexplainedTime, OfManyLanesStopsWhereItNoLongerFits) {
  constexpr double kLate = 4e15;  // us: 127 years after the first event
  Lines events = {op("a", 0, 1, 1)};
  for (int stream = 1; stream <= 3; ++stream) events.push_back(row("k", kLate, 1, stream, stream));
  const TraceGraph g(events);
  EXPECT_EQ(g.graph.unexplained_ns, std::numeric_limits<Ns>::max());
}

TEST(DelayNodes, InsideALaunchOfAGraphAreWorkThatNoRowTells) {
  const TraceGraph g(
      {op("a", 0, 10, 1), launch(2, 1, 11), row("k1", 6, 4, 11), row("k2", 210, 5, 11)},
      delays(Delays::kHost));
  EXPECT_EQ(g.before("k2", Evidence::kDelay), Labels{"delay@10"});
  EXPECT_EQ(g.before("delay@10", Evidence::kUnrecordedWork), Labels{"k1"});
  EXPECT_EQ(g.graph.unrecorded_work_ns, 200'000);
}

TEST(DelayNodes, WhileKernelsOfOtherStreamsRunAreOfABusyDevice) {
  const TraceGraph g({op("a", 0, 10, 1), launch(2, 1, 11), launch(4, 1, 12),
                      row("k1", 6, 400, 11, 1), row("k2", 380, 5, 12, 2)},
                     delays(Delays::kHost));
  EXPECT_EQ(g.before("k2", Evidence::kDelay), Labels{"delay@4"});
  EXPECT_EQ(g.before("delay@4", Evidence::kBusyDevice).size(), 1U);
  EXPECT_EQ(g.graph.unrecorded_work_ns, 0);
}

TEST(DelayNodes, KnowTheNodeThatTheyPrecede) {
  const TraceGraph g(kIdle, delays(Delays::kAll));
  EXPECT_EQ(g.graph.delayed_node(g.vertex("delay@10")), g.vertex("b"));
}

TEST(DelayNodes, OfALaunchCarryItsLatencyAndTheRestStandsOnWhatBound) {
  // k2 waits for k1 (ends 40), 1 us of the device's own; its launch was long ago.
  const TraceGraph g({op("a", 0, 10, 1), launch(2, 1, 11), launch(4, 1, 12), row("k1", 6, 34, 11),
                      row("k2", 41, 5, 12)},
                     delays(Delays::kAll));
  EXPECT_EQ(g.duration_us("delay@2"), 4);
  EXPECT_EQ(g.duration_us("delay@4"), 4);  // the latency that k1 shows
  EXPECT_EQ(g.duration_us("delay@40"), 1);
  EXPECT_EQ(g.before("delay@40", Evidence::kDelay), Labels{"k1"});
}

/// Three times a kernel of 300 us, and a thread that asks for its event from 40 us on, every 20 us.
Lines loops_of_queries() {
  Lines events;
  for (int loop = 0, id = 1; loop < 3; ++loop) {
    const double begin = 1000 * loop;
    events.push_back(annotation(fmt::format("ProfilerStep#{}", loop), begin, 500));
    events.push_back(launch(begin + 1, 1, ++id));
    events.push_back(row("k" + std::to_string(loop), begin + 5, 300, id));
    events.push_back(call("cudaEventRecord", begin + 10, 1, ++id));
    for (int asked = 40; asked <= 320; asked += 20)
      events.push_back(call("cudaEventQuery", begin + asked, 1, ++id));
  }
  return events;
}

TEST(DelayNodes, BeforeALoopOfQueriesLastUntilItsFirstAndFromTheEndOfItsWork) {
  const TraceGraph g(loops_of_queries(), delays(Delays::kHost));
  EXPECT_EQ(g.before("cudaEventQuery@320", Evidence::kDelay), (Labels{"delay@11", "delay@305"}));
  EXPECT_EQ(g.duration_us("delay@11"), 29);
  EXPECT_EQ(g.before("delay@305", Evidence::kDelay), Labels{"k0"});
}

GraphOptions steps(int first, int last) {
  GraphOptions options = TraceGraph::without_delays();
  options.steps = StepRange{first, last};
  return options;
}

const Lines kSteps = {
    annotation("ProfilerStep#1", 0, 10),  op("a", 2, 3),  launch(3, 1, 11),  row("k1", 6, 9, 11),
    annotation("ProfilerStep#2", 10, 10), op("b", 12, 3), launch(13, 1, 12), row("k2", 16, 30, 12)};

TEST(DelayNodes, OfALaunchWhoseCallIsLostCarryTheSmallestLatencyOfTheStream) {
  const auto flow = [](const char* phase, const char* place, double time) {
    return fmt::format(R"({{"ph": "{}", "id": 12, {}, "ts": {}, "cat": "ac2g", "name": "ac2g"{}}})",
                       phase, place, time, *phase == 'f' ? R"(, "bp": "e")" : "");
  };
  // k2 waited 1 ms for k1; its launch took no longer than that of k1.
  const TraceGraph g({op("a", 0, 30, 1), launch(10, 2, 11), row("k1", 15, 1000, 11),
                      flow("s", R"("pid": 1, "tid": 100)", 20),
                      flow("f", R"("pid": 0, "tid": 7)", 1016), row("k2", 1016, 5, 12)},
                     delays(Delays::kAll));
  EXPECT_EQ(g.before("k2", Evidence::kDelay), (Labels{"delay@20", "delay@1015"}));
  EXPECT_EQ(g.duration_us("delay@20"), 5);
  EXPECT_EQ(g.duration_us("delay@1015"), 1);
}

TEST(DelayNodes, OfALaunchTakeNoLatencyFromARowThatMayHaveQueuedBehindALostOne) {
  // g1 seems to have had nothing to wait for, but started 15 us after its launch.
  const Lines known = {op("a", 0, 500, 1),     launch(2, 1, 11),
                       row("k1", 6, 200, 11),  call("cudaGraphLaunch", 210, 1, 13),
                       row("g1", 225, 95, 13), call("cudaGraphLaunch", 290, 1, 14),
                       row("g2", 400, 5, 14)};
  const auto latency_of_g2 = [](const Lines& events) {
    return TraceGraph(events, delays(Delays::kAll)).duration_us("delay@290");
  };
  EXPECT_EQ(latency_of_g2(known), 15);
  Lines behind_lost = known;
  behind_lost.push_back(launch(208, 1, 12));
  EXPECT_EQ(latency_of_g2(behind_lost), 1);  // the call's own time
}

TEST(DelayNodes, OfALaunchTakeNoLatencyFarBeyondThatOfTheQuickestLaunch) {
  // g1 seems to have had nothing to wait for, but started 90 us after its launch; k1 4 us.
  const TraceGraph g({op("a", 0, 500, 1), launch(2, 1, 11), row("k1", 6, 200, 11),
                      call("cudaGraphLaunch", 210, 1, 13), row("g1", 300, 95, 13),
                      call("cudaGraphLaunch", 290, 1, 14), row("g2", 400, 5, 14)},
                     delays(Delays::kAll));
  EXPECT_EQ(g.duration_us("delay@290"), 1);  // the call's own time
}

TEST(DelayNodes, OfALaunchTakeNoLatencyThatOneOfManyLaunchesAloneShows) {
  // Graphs follow each other, but for the last: its start, 15 us after its launch, is a sample.
  Lines events = {op("a", 0, 2000, 1)};
  for (int i = 0; i < 12; ++i) {
    events.push_back(call("cudaGraphLaunch", 10 + 100 * i, 1, 20 + i));
    events.push_back(row("g", 30 + 100 * i, 100, 20 + i));
  }
  events.push_back(call("cudaGraphLaunch", 1500, 1, 40));
  events.push_back(row("late", 1515, 5, 40));
  const auto latency = [](const Lines& lines) {
    return TraceGraph(lines, delays(Delays::kAll)).duration_us("delay@110");
  };
  EXPECT_EQ(latency(events), 15);     // as the first row and the last show
  events[2] = row("g", 30, 100, 19);  // now the first has no launch
  EXPECT_EQ(latency(events), 1);      // the call's own time
}

TEST(KeepSteps, WaitForEachOtherThroughWhatIsOfNeither) {
  // Between the steps the thread launches and synchronises, and so does what it launches.
  const TraceGraph g({annotation("ProfilerStep#1", 0, 10), op("a", 2, 3), launch(3, 1, 11),
                      row("k1", 6, 9, 11), op("between", 12, 3), launch(13, 1, 12),
                      row("k2", 16, 30, 12), annotation("ProfilerStep#2", 50, 10), op("b", 52, 3),
                      launch(53, 1, 13), row("k3", 56, 9, 13)},
                     steps(1, 2));
  EXPECT_EQ(g.before("ProfilerStep#2", Evidence::kThreadOrder), Labels{"a@3"});
  EXPECT_EQ(g.before("k3", Evidence::kStreamOrder), Labels{"k1"});
  EXPECT_EQ(g.before("between", Evidence::kThreadOrder), Labels{});
  EXPECT_EQ(g.graph.op_node[2], kNoIndex);  // "between" is left out
}

TEST(NumberNodes, TheOrderOfEventsInTheFileDoesNotMatter) {
  Lines backwards(kSteps.rbegin(), kSteps.rend());
  EXPECT_EQ(TraceGraph(kSteps).labels(), TraceGraph(backwards).labels());
}

TEST(Graphs, OfAnEmptyTraceAreEmpty) {
  const TraceGraph g(Lines{});
  EXPECT_EQ(g.size(), 0U);
  EXPECT_EQ(g.graph.unexplained_ns, 0);
}

}  // namespace
}  // namespace nadi
