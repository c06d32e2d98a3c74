// Rows whose stamps contradict API order (K32).
#include <gtest/gtest.h>

#include <map>

#include "tests/unit/graph/trace_graph.h"

namespace nadi::test {
namespace {

/// Launches k0 to k11, 10 us apart; their rows run on stream 7 from 300 us on, one every 20 us for
/// 5 us, but those named start elsewhere.
Lines queue(const std::map<int, double>& damaged) {
  Lines events;
  for (int i = 0; i < 12; ++i) {
    const auto start = damaged.find(i);
    events.push_back(launch(10 * i, 2, 100 + i));
    events.push_back(row(fmt::format("k{}", i),
                         start == damaged.end() ? 300 + 20 * i : start->second, 5, 100 + i));
  }
  return events;
}

Labels stream_order_into(const TraceGraph& g, const std::string& row) {
  return g.before(row, Evidence::kStreamOrder);
}

TEST(ApiContradictions, AnEarlyRowFollowsAndHoldsUpOnlyWhatItsStreamWasGivenBeforeAndAfterIt) {
  for (const double start : {312.0, 310.0}) {
    const TraceGraph g(queue({{6, start}}));
    EXPECT_EQ(stream_order_into(g, "k6"), Labels{"k0"});
    EXPECT_EQ(stream_order_into(g, "k1"), Labels{"k0"});
    EXPECT_EQ(stream_order_into(g, "k7"), (Labels{"k6", "k5"}));
  }
}

TEST(ApiContradictions, OfTwoRowsTheOneThatStartsBeforeItsLaunchOrElseTheLaterOneIsDamaged) {
  Lines launched_late = queue({{11, 490}});
  launched_late[22] = launch(600, 2, 111);
  for (const TraceGraph& g : {TraceGraph(queue({{10, 600}})), TraceGraph(launched_late)}) {
    EXPECT_EQ(stream_order_into(g, "k10"), Labels{"k9"});
    EXPECT_EQ(stream_order_into(g, "k11"), Labels{"k9"});
  }
}

TEST(ApiContradictions, CallsThatOverlapOnTwoThreadsMayLaunchInEitherOrder) {
  const auto events = [](double returned) {
    Lines all = queue({{1, 412}});
    all[2] = launch(10, returned - 10, 101, 200);
    return all;
  };
  EXPECT_EQ(stream_order_into(TraceGraph(events(70)), "k1"), Labels{"k5"});
  EXPECT_EQ(stream_order_into(TraceGraph(events(30)), "k1"), Labels{"k0"});
}

TEST(ApiContradictions, ALaneOfManyIsOrderedByItsStamps) {
  const TraceGraph g(queue({{1, 432}, {2, 452}}));
  EXPECT_EQ(stream_order_into(g, "k1"), Labels{"k6"});
  EXPECT_EQ(g.diagnostics.count(Finding::kRowAgainstApiOrder), 0U);
}

TEST(ApiContradictions, ARowInsideAGraphLaunchLeavesItOneLaunch) {
  Lines events = queue({{1, 617}});
  for (const std::string& line :
       {call("cudaGraphLaunch", 200, 5, 50), row("a", 600, 30, 50), row("b", 610, 6, 50),
        row("c", 625, 20, 50), launch(220, 1, 51), row("next", 650, 5, 51)})
    events.push_back(line);
  const TraceGraph g(events);
  EXPECT_EQ(stream_order_into(g, "c"), Labels{});
  EXPECT_EQ(g.before("c", Evidence::kGraphOrder), Labels{"b"});
  EXPECT_EQ(stream_order_into(g, "next"), (Labels{"a", "k1", "c"}));
}

TEST(ApiContradictions, AWaitForADamagedRowImpliesNoOtherWait) {
  const auto wait = [](double ts, int correlation, int record) {
    return sync(
        "Stream Wait Event", ts, correlation, 9,
        fmt::format(R"("wait_on_stream": 7, "wait_on_cuda_event_record_corr_id": {})", record));
  };
  Lines events = queue({{1, 432}});
  for (const std::string& line :
       {call("cudaEventRecord", 15, 1, 50), call("cudaEventRecord", 45, 1, 51),
        call("cudaStreamWaitEvent", 120, 1, 52), wait(120, 52, 50), launch(130, 1, 53),
        row("first", 440, 5, 53, 9), call("cudaStreamWaitEvent", 140, 1, 54), wait(140, 54, 51),
        launch(150, 1, 55), row("second", 450, 5, 55, 9)})
    events.push_back(line);
  const TraceGraph g(events);
  EXPECT_EQ(g.before("first", Evidence::kEventWait), Labels{"k1"});
  EXPECT_EQ(g.before("second", Evidence::kEventWait), (Labels{"k4", "k1"}));
}

}  // namespace
}  // namespace nadi::test
