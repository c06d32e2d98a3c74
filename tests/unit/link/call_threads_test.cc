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

using OpNames = std::vector<std::string>;

/// The main thread (100) runs forward ops, the backward thread (200) backward ops.
const Lines kTwoThreads = {op("forward", 0, 20),
                           op("backward", 30, 20, 0, 200),
                           op("backward 2", 60, 20, 0, 200),
                           op("backward 3", 90, 20, 0, 200),
                           kernel(40, 1),
                           kernel(70, 2),
                           kernel(100, 3)};
Lines with(Lines more) {
  more.insert(more.begin(), kTwoThreads.begin(), kTwoThreads.end());
  return more;
}
/// Three launches, each inside a backward op, on the thread.
Lines launches_on(int tid) {
  return {launch(35, 2, 1, tid), launch(65, 2, 2, tid), launch(95, 2, 3, tid)};
}
Lines with_launches_on(int tid, Lines more = {}) {
  const Lines launches = launches_on(tid);
  more.insert(more.begin(), launches.begin(), launches.end());
  return with(more);
}
const OpNames kInBackwardOps = {"backward", "backward 2", "backward 3"};
const OpNames kInNoOps = {"", "", ""};

TEST(CallThreads, N19_OfAThreadWithoutOpsAreOfTheOneInWhoseOpsTheyLie) {
  Diagnostics diagnostics;
  EXPECT_EQ(launching_ops(with_launches_on(999), diagnostics), kInBackwardOps);
  EXPECT_EQ(diagnostics.count(Finding::kCallThreadRepaired), 3U);
  EXPECT_EQ(diagnostics.count(Finding::kCallThreadAmbiguous), 0U);
}

TEST(CallThreads, N19_AllCallsOfSuchAThreadAreMovedAlsoThoseOutsideOps) {
  const LinkedTrace linked = link(with_launches_on(999, {call("cudaEventRecord", 55, 1, 4, 999)}));
  EXPECT_EQ(linked.calls.lane[3], linked.calls.lane[0]);
  EXPECT_EQ(linked.lanes[linked.calls.lane[3]].tid, 200);
  for (const Lane& lane : linked.lanes) EXPECT_NE(lane.tid, 999) << "nobody is left there";
}

TEST(CallThreads, N19_OfAThreadOutsideItsOpsAreOfTheOnlyOneThatMayHaveMadeThem) {
  EXPECT_EQ(launching_ops(with_launches_on(100)), kInBackwardOps);
}

TEST(CallThreads, N19_ACallAcrossTheEndOfAnOpOfItsThreadIsNotOfThatThread) {
  EXPECT_EQ(launching_ops(with_launches_on(
                100, {op("ends", 34, 2), op("begins", 66, 9), op("inner", 95.5, 0.5)})),
            kInBackwardOps);
}

TEST(CallThreads, TracesOfKinetoAreLeftAlone) {
  Lines events = with_launches_on(999);
  events.push_back(row("another", 90, 1, 9, 7, R"("blocks per SM": 1)"));
  EXPECT_EQ(launching_ops(events), (OpNames{"", "", "", ""}));
}

TEST(CallThreads, AFewCallsOfAThreadWithOpsAreTooLittleToTell) {
  Diagnostics diagnostics;
  EXPECT_EQ(
      launching_ops(with({launch(35, 2, 1), launch(65, 2, 2), launch(95, 2, 3, 200)}), diagnostics),
      (OpNames{"", "", "backward 3"}));
  EXPECT_EQ(diagnostics.count(Finding::kCallThreadAmbiguous), 2U);
}

TEST(CallThreads, AThreadThatLaunchesWhileNobodyHasAnOpLaunchesByItself) {
  Diagnostics diagnostics;
  EXPECT_EQ(launching_ops(with_launches_on(100, {launch(55, 2, 4), kernel(58, 4)}), diagnostics),
            (OpNames{"", "", "", ""}));
  EXPECT_TRUE(diagnostics.count(Finding::kCallThreadRepaired) +
                  diagnostics.count(Finding::kCallThreadAmbiguous) ==
              0);
}

TEST(CallThreads, AThreadWithoutOpsThatLaunchesNothingStays) {
  const LinkedTrace linked = link(with_launches_on(200, {call("cudaEventQuery", 45, 1, 4, 999)}));
  EXPECT_EQ(linked.lanes[linked.calls.lane[3]].tid, 999);
}

TEST(CallThreads, ACallThatReachesBeyondTheOpIsNotOfIt) {
  EXPECT_EQ(launching_ops(with({launch(45, 10, 1), launch(65, 2, 2), launch(95, 2, 3)})), kInNoOps);
}

TEST(CallThreads, ACallDuringWhichAnotherOpBeginsIsNotOfThatThread) {
  EXPECT_EQ(launching_ops(with_launches_on(100, {op("inner", 36, 2, 0, 200)})), kInNoOps);
}

TEST(CallThreads, AThreadThatIsCallingMeanwhileMadeNoOtherCall) {
  EXPECT_EQ(launching_ops(with_launches_on(100, {call("cudaMalloc", 33, 10, 4, 200)})), kInNoOps);
}

TEST(CallThreads, WhereALaunchOfAThreadWithoutOpsIsAmbiguousTheOthersTell) {
  EXPECT_EQ(launching_ops(with_launches_on(999, {op("other", 30, 20, 0, 300)})), kInBackwardOps);
}

TEST(CallThreads, WhereLaunchesOfAThreadWithoutOpsContradictEachOtherAllStay) {
  Diagnostics diagnostics;
  EXPECT_EQ(
      launching_ops(with_launches_on(999, {launch(5, 2, 4, 999), kernel(10, 4)}), diagnostics),
      (OpNames{"", "", "", ""}));
  EXPECT_EQ(diagnostics.count(Finding::kCallThreadAmbiguous), 4U);
}

TEST(CallThreads, WhereManyThreadsHaveOpsOpenNoneIsTaken) {
  Lines more;
  for (int tid = 300; tid < 310; ++tid) more.push_back(op("other", 30, 80, 0, tid));
  EXPECT_EQ(launching_ops(with_launches_on(999, more)), kInNoOps);
}

/// A call on the thread that names the op of the id.
std::string launch_of(int op, double ts, int correlation, int tid) {
  return event("cuda_runtime", "cudaLaunchKernel", ts, 2, thread(tid),
               fmt::format(R"("correlation": {}, "External id": {})", correlation, op));
}

TEST(CallThreads, OfThreadsThatWorkOneAfterTheOtherAreOfTheOneWhoseOpTheyName) {
  const auto named = [](const char* name, double ts, int id, int tid) {
    return op(name, ts, 20, 0, tid, R"("External id": )" + std::to_string(id));
  };
  Diagnostics diagnostics;
  const LinkedTrace linked =
      link({named("a", 0, 11, 200), named("b", 30, 12, 300), named("c", 60, 13, 300),
            launch_of(11, 5, 1, 200), launch_of(12, 35, 2, 200),
            call("cudaDeviceSynchronize", 52, 3, 4, 200), launch_of(13, 65, 3, 200),
            row("k", 8, 3, 1), row("k", 40, 3, 2), row("k", 70, 3, 3)},
           {}, "", &diagnostics);
  OpNames ops;
  for (const DeviceRowIndex one : rows_of(linked.rows))
    ops.push_back(op_name(linked, linked.rows.parent[one]));
  EXPECT_EQ(ops, (OpNames{"a", "b", "c"}));
  EXPECT_EQ(diagnostics.count(Finding::kCallThreadRepaired), 3U);  // with the one between b and c
}

}  // namespace
}  // namespace nadi
