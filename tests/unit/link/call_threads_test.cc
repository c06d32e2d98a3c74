// Calls that Cuspy put on another thread than the one that made them (N19).
#include <gtest/gtest.h>

#include "tests/unit/link/trace_text.h"

namespace nadi {
namespace {

using namespace test;

/// A kernel by whose arguments the trace is Cuspy's.
std::string kernel(double ts, int correlation) {
  return row("k", ts, 3, correlation, 7, R"("channel_type": "COMPUTE")");
}

/// The op around each launch, by correlation from 1 on.
std::vector<std::string> launching_ops(const Lines& events, Diagnostics& diagnostics) {
  const LinkedTrace linked = link(events, {}, "", &diagnostics);
  std::vector<std::string> ops;
  for (std::size_t row = 0; row < linked.rows.size(); ++row)
    ops.push_back(op_name(linked, linked.rows.parent[row]));
  return ops;
}
std::vector<std::string> launching_ops(const Lines& events) {
  Diagnostics diagnostics;
  return launching_ops(events, diagnostics);
}

using Names = std::vector<std::string>;

/// The main thread (100) runs forward ops, the backward thread (200) backward ops.
const Lines kTwoThreads = {op("forward", 0, 20), op("backward", 30, 20, 0, 200),
                           op("backward 2", 60, 20, 0, 200), kernel(40, 1), kernel(70, 2)};
Lines with(Lines more) {
  more.insert(more.begin(), kTwoThreads.begin(), kTwoThreads.end());
  return more;
}

TEST(CallThreads, N19_OfAThreadWithoutOpsAreOfTheOneInWhoseOpsTheyLie) {
  Diagnostics diagnostics;
  EXPECT_EQ(launching_ops(with({launch(35, 2, 1, 999), launch(65, 2, 2, 999)}), diagnostics),
            (Names{"backward", "backward 2"}));
  EXPECT_EQ(diagnostics.count("call-thread-repaired"), 2U);
  EXPECT_EQ(diagnostics.count("call-thread-ambiguous"), 0U);
}

TEST(CallThreads, N19_AllCallsOfSuchAThreadAreMovedAlsoThoseOutsideOps) {
  const LinkedTrace linked = link(
      with({launch(35, 2, 1, 999), launch(65, 2, 2, 999), call("cudaEventRecord", 55, 1, 3, 999)}));
  EXPECT_EQ(linked.calls.lane[2], linked.calls.lane[0]);
  EXPECT_EQ(linked.lanes[linked.calls.lane[2]].tid, 200);
  for (const Lane& lane : linked.lanes) EXPECT_NE(lane.tid, 999) << "nobody is left there";
}

TEST(CallThreads, N19_OfAThreadOutsideItsOpsAreOfTheOnlyOneThatMayHaveMadeThem) {
  EXPECT_EQ(launching_ops(with({launch(35, 2, 1), launch(65, 2, 2, 200)})),
            (Names{"backward", "backward 2"}));
}

TEST(CallThreads, TracesOfKinetoAreLeftAlone) {
  Lines events = with({launch(35, 2, 1, 999), launch(65, 2, 2, 999)});
  events.push_back(row("another", 90, 1, 9, 7, R"("blocks per SM": 1)"));
  EXPECT_EQ(launching_ops(events), (Names{"", "", ""}));
}

TEST(CallThreads, AThreadThatLaunchesWhileNobodyHasAnOpLaunchesByItself) {
  Diagnostics diagnostics;
  EXPECT_EQ(launching_ops(with({launch(35, 2, 1), launch(55, 2, 2)}), diagnostics),
            (Names{"", ""}));
  EXPECT_EQ(diagnostics.count("call-thread-repaired"), 0U);
}

TEST(CallThreads, AThreadWithoutOpsThatLaunchesNothingStays) {
  const LinkedTrace linked =
      link(with({launch(35, 2, 1, 200), launch(65, 2, 2, 200),
                 call("cudaEventQuery", 45, 1, 3, 999), call("cudaEventQuery", 66, 1, 4, 999)}));
  EXPECT_EQ(linked.lanes[linked.calls.lane[2]].tid, 999);
}

TEST(CallThreads, ACallThatReachesBeyondTheOpIsNotOfIt) {
  EXPECT_EQ(launching_ops(with({launch(45, 10, 1), launch(65, 2, 2, 200)})),
            (Names{"", "backward 2"}));
}

TEST(CallThreads, ACallDuringWhichAnotherOpBeginsIsNotOfThatThread) {
  EXPECT_EQ(
      launching_ops(with({op("inner", 36, 2, 0, 200), launch(35, 2, 1), launch(65, 2, 2, 200)})),
      (Names{"", "backward 2"}));
}

TEST(CallThreads, AThreadThatIsCallingMeanwhileMadeNoOtherCall) {
  EXPECT_EQ(launching_ops(with(
                {call("cudaMalloc", 33, 10, 3, 200), launch(35, 2, 1), launch(65, 2, 2, 200)})),
            (Names{"", "backward 2"}));
}

TEST(CallThreads, WhereSeveralThreadsMayHaveLaunchedItStaysAndIsCounted) {
  Diagnostics diagnostics;
  EXPECT_EQ(
      launching_ops(with({op("other", 30, 20, 0, 300), launch(35, 2, 1), launch(65, 2, 2, 200)}),
                    diagnostics),
      (Names{"", "backward 2"}));
  EXPECT_EQ(diagnostics.count("call-thread-ambiguous"), 1U);
}

TEST(CallThreads, WhereALaunchOfAThreadWithoutOpsIsAmbiguousTheOthersTell) {
  EXPECT_EQ(launching_ops(
                with({op("other", 30, 20, 0, 300), launch(35, 2, 1, 999), launch(65, 2, 2, 999)})),
            (Names{"backward", "backward 2"}));
}

TEST(CallThreads, WhereLaunchesOfAThreadWithoutOpsContradictEachOtherAllStay) {
  Diagnostics diagnostics;
  EXPECT_EQ(launching_ops(with({launch(5, 2, 3, 999), kernel(10, 3), launch(35, 2, 1, 999),
                                launch(65, 2, 2, 999)}),
                          diagnostics),
            (Names{"", "", ""}));
  EXPECT_EQ(diagnostics.count("call-thread-ambiguous"), 3U);
}

}  // namespace
}  // namespace nadi
