// Waits of which only the calls are recorded: what patterns and places tell of them.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/link/call_sequence.h"

namespace nadi {
namespace {

using namespace test;
using Kind = StreamActionKind;

constexpr int kCommStream = 20;

/// seq < 0: of a version of PyTorch that records no numbers.
std::string comm_args(const std::string& collective, int seq) {
  const std::string number = seq < 0 ? "" : fmt::format(R"(, "Seq": {})", seq);
  return fmt::format(R"("Collective name": "{}", "Process Group Name": "0"{})", collective, number);
}

/// The kernel, named nccl<seq> or as given, waits for the current stream; two more waits are
/// NCCL's.
void all_reduce(CallSequence& trace, int seq, double duration, const std::string& name = "") {
  const auto body = [&] {
    trace.record_event();
    trace.wait_event();
    trace.record_event();
    trace.wait_event();  // NCCL's own, as is the one behind the launch
    trace.kernel(name.empty() ? fmt::format("nccl{}", seq) : name, kCommStream, duration);
    trace.record_event();
    trace.wait_event();
  };
  trace.in_op("record_param_comms", body, comm_args("allreduce", seq));
}

void wait_for_work(CallSequence& trace, int seq) {
  trace.in_op(
      "record_param_comms", [&] { trace.wait_event(); }, comm_args("wait", seq));
}

TEST(WaitPatterns, ACopyAndTheSynchronisationBehindItInOneOpAreOfOneStream) {
  CallSequence trace;
  trace.kernel("on another stream", 9, 60);
  trace.in_op("aten::_local_scalar_dense", [&] {
    trace.copy_to_host(7, 60);
    trace.call_named("cudaStreamSynchronize", 80);
  });
  const Linked result(trace);
  EXPECT_EQ(host_waits(result.linked), Lines{"stream 7 (pattern)"});
  EXPECT_EQ(result.unresolved(), 0U);
}

TEST(WaitPatterns, ASynchronisationThatReturnsBeforeTheCopyEndsIsNotForIt) {
  CallSequence trace;
  trace.kernel("on another stream", 9, 1);
  trace.in_op("aten::_local_scalar_dense", [&] {
    trace.copy_to_host(7, 60);
    trace.call_named("cudaStreamSynchronize", 20);
  });
  EXPECT_EQ(host_waits(Linked(trace).linked), Lines{});
}

TEST(WaitPatterns, ACollectiveWaitsForTheCurrentStreamAndNcclsOwnWaitsAreSilent) {
  CallSequence trace;
  trace.kernel("k", 7, 3);
  all_reduce(trace, 1, 5);
  trace.kernel("next", 7, 3);
  const Linked result(trace);
  EXPECT_EQ(stream_waits(result.linked), Lines{"20 after k (pattern)"});
  EXPECT_EQ(result.unresolved(), 0U);
}

TEST(WaitPatterns, ACollectiveOfAThreadThatChangesStreamsWithinOpsHasNoCurrentStream) {
  CallSequence trace;
  trace.in_op("of two streams", [&] {
    trace.kernel("k9", 9, 1);
    trace.kernel("k", 7, 1);
  });
  all_reduce(trace, 1, 5);
  trace.kernel("next", 7, 3);
  const Linked result(trace);
  EXPECT_EQ(stream_waits(result.linked), Lines{});
  EXPECT_EQ(result.unresolved(), 1U);
}

TEST(WaitPatterns, AWaitForAWorkIsForTheOneOfItsNumber) {
  for (const int seq : {1, 2}) {
    CallSequence trace;
    trace.kernel("k", 7, 1);
    all_reduce(trace, 1, 5);
    all_reduce(trace, 2, 5);
    trace.now += 20;
    wait_for_work(trace, seq);
    trace.kernel("next", 7, 3);
    EXPECT_EQ(stream_waits(Linked(trace).linked),
              (Lines{"20 after k (pattern)", "20 after k (pattern)",
                     fmt::format("7 after nccl{} (pattern)", seq)}));
  }
}

TEST(WaitPatterns, AWaitForAWorkThatTimesContradictStaysUnresolved) {
  CallSequence trace;
  trace.kernel("k", 7, 1);
  all_reduce(trace, 1, 500);
  wait_for_work(trace, 1);
  trace.kernel("ran while nccl1 did", 7, 3);
  const Linked result(trace);
  EXPECT_EQ(stream_waits(result.linked), Lines{"20 after k (pattern)"});
  EXPECT_EQ(result.unresolved(), 1U);
}

/// Parameters are gathered on a stream that runs no rows, one module ahead, and maybe one more.
CallSequence gathered_ahead(int modules, bool has_more) {
  CallSequence trace;
  trace.kernel("first", 7, 1);
  const auto gather = [&](int i) {
    all_reduce(trace, i, 5, fmt::format("ncclAllGather{}", i));
    wait_for_work(trace, i);
    trace.record_event();  // of what that stream did, for the current one
  };
  for (int i = 1; i <= modules; ++i) {
    gather(i);
    trace.now += 20;
    trace.kernel(fmt::format("module{}", i), 7, 3);
    trace.record_event();  // has nothing to do with the wait behind it
    trace.wait_event();
  }
  if (has_more) gather(modules + 1);
  trace.now += 20;
  trace.kernel("last", 7, 3);
  return trace;
}

const Lines kGatheredAhead{"7 after ncclAllGather1 (pattern)", "7 after ncclAllGather2 (pattern)",
                           "7 after ncclAllGather3 (pattern)", "7 after ncclAllGather4 (pattern)"};

TEST(WaitPatterns, TheCurrentStreamWaitsLaterForWhatAStreamWithoutRowsGathered) {
  const Linked result(gathered_ahead(4, false));
  EXPECT_EQ(stream_waits(result.linked), kGatheredAhead);
  const StreamAction& last = result.linked.actions.back();
  EXPECT_GT(last.time_ns, result.linked.device.rows.start_ns[result.linked.rows_in_api_order[8]]);
  EXPECT_EQ(result.unresolved(), 0U);
}

TEST(WaitPatterns, WhatIsGatheredAheadAndNotUsedStaysUnknown) {
  const Linked result(gathered_ahead(4, true));
  EXPECT_EQ(stream_waits(result.linked), kGatheredAhead);
  EXPECT_EQ(result.unresolved(), 1U);
}

TEST(WaitPatterns, FewRecordsBehindWaitsForWorksAreTimersAndSayNothing) {
  const Lines waits = stream_waits(Linked(gathered_ahead(1, true)).linked);
  EXPECT_EQ(waits, (Lines{"20 after first (pattern)", "7 after ncclAllGather1 (pattern)",
                          "20 after module1 (pattern)", "7 after ncclAllGather2 (pattern)"}));
}

/// As in 2023, without records: each module's parameters are gathered, and waited for behind the
/// module before, so often.
CallSequence gathered_ahead_without_records(int modules) {
  CallSequence trace;
  trace.kernel("first", 7, 1);
  for (int i = 1; i <= modules; ++i) {
    trace.in_op(
        "record_param_comms",
        [&] {
          trace.wait_event();
          trace.kernel(fmt::format("ncclAllGather{}", i), kCommStream, 5);
        },
        comm_args("allgather", i));
    wait_for_work(trace, i);
    trace.now += 20;
    trace.kernel(fmt::format("module{}", i), 7, 1);
    trace.now += 20;
    trace.wait_event();
  }
  trace.kernel("last", 7, 1);
  return trace;
}

TEST(WaitPatterns, WithoutRecordsAWaitBehindNearlyEachWaitForAWorkTellsThatItIsGatheredAhead) {
  EXPECT_EQ(stream_waits(Linked(gathered_ahead_without_records(4)).linked), kGatheredAhead);
}

/// Two collectives on the way, kernels between them, then the waits for both.
TEST(WaitPatterns, AWaitBehindALaunchMayBeForAnEarlierWork) {
  CallSequence trace;
  for (const std::string number : {"1", "2"}) {
    trace.kernel("flatten" + number, 7, 1);
    all_reduce(trace, -1, 5, "nccl" + number);
  }
  for (const std::string number : {"1", "2"}) {
    wait_for_work(trace, -1);
    trace.now += 20;
    trace.kernel("unflatten" + number, 7, 1);
  }
  EXPECT_EQ(stream_waits(Linked(trace).linked),
            (Lines{"20 after flatten1 (pattern)", "20 after flatten2 (pattern)",
                   "7 after nccl1 (pattern)", "7 after nccl2 (pattern)"}));
}

/// The thread goes on, on stream 7, behind both side streams.
TEST(WaitPatterns, TwoWaitsInARowMayJoinTwoStreams) {
  CallSequence trace;
  for (const int stream : {7, 8, 9, 7, 7, 7, 8, 9}) trace.kernel("k", stream, 1);
  trace.record_event();
  trace.wait_event();
  trace.record_event();
  trace.wait_event();
  for (int i = 0; i < 8; ++i) trace.kernel("on", 7, 1);
  const Linked result(trace);
  EXPECT_EQ(stream_waits(result.linked), Lines{});
  EXPECT_EQ(result.unresolved(), 2U);
}

/// A copy stream and the current one wait for each other, as where the next batch is copied.
TEST(WaitPatterns, TwoWaitsInARowOfStreamsWithNewWorkAreAnExchange) {
  CallSequence trace;
  trace.kernel("batch 1", 16, 1);
  for (int i = 0; i < 8; ++i) trace.kernel("compute", 7, 1);
  trace.record_event();
  trace.wait_event();
  trace.record_event();
  trace.wait_event();
  trace.kernel("batch 2", 16, 1);
  for (int i = 0; i < 8; ++i) trace.kernel("next", 7, 1);
  EXPECT_EQ(stream_waits(Linked(trace).linked),
            (Lines{"7 after batch 1 (pattern)", "16 after compute (pattern)"}));
}

/// A copy that waits for the main stream; then a side stream that the thread synchronises, and a
/// wait that may be for it, of the stream of what comes next.
CallSequence wait_behind_a_synchronised_stream(int next_stream) {
  CallSequence trace;
  for (int i = 0; i < 8; ++i) trace.kernel("work", 7, 1);
  trace.record_event();
  trace.wait_event();
  trace.copy_to_host(16, 1);
  trace.kernel("more work", 7, 1);
  trace.kernel("side", 24, 1);
  trace.in_op("aten::_local_scalar_dense", [&] {
    trace.copy_to_host(24, 1);
    trace.call_named("cudaStreamSynchronize");
  });
  trace.record_event();
  trace.wait_event();
  for (int i = 0; i < 8; ++i) trace.kernel("next", next_stream, 1);
  return trace;
}

TEST(WaitPatterns, AWaitAloneBehindAStreamWithNothingNewMayBeForThatOne) {
  for (const int next_stream : {7, 16}) {
    const Linked result(wait_behind_a_synchronised_stream(next_stream));
    EXPECT_EQ(stream_waits(result.linked), Lines{"16 after work (pattern)"});
    EXPECT_EQ(result.unresolved(), 1U);
  }
}

/// A prefetched batch that the main stream waits for as an iteration begins, and a log copied out
/// behind it that nobody waits for.
TEST(WaitPatterns, AWaitAloneMayBeForAThirdStreamThatHasSomethingNew) {
  CallSequence trace;
  for (int i = 0; i < 6; ++i) {
    trace.record_event();
    trace.wait_event();
    for (int k = 0; k < 6; ++k) trace.kernel("work", 7, 5);
    trace.kernel("batch", 16, 15);
    for (int k = 0; k < 4; ++k) trace.kernel("work", 7, 5);
    trace.record_event();
    trace.wait_event();
    trace.copy_to_host(24, 2);
  }
  for (const std::string& wait : stream_waits(Linked(trace).linked))
    EXPECT_EQ(wait.rfind("24 after ", 0), 0U) << wait;
}

/// A forked op, and its backward op behind work of another stream.
TEST(WaitPatterns, ABackwardOpForksFromTheStreamOfItsForwardOp) {
  CallSequence trace;
  const auto fork = [&](const std::string& kernel) {
    trace.record_event();
    trace.wait_event();
    trace.in_op("aten::bmm", [&] { trace.kernel(kernel + " branch", 9, 1); });
    for (int i = 0; i < 3; ++i) trace.in_op("aten::mm", [&] { trace.kernel(kernel, 7, 1); });
    trace.record_event();
    trace.wait_event();
  };
  trace.kernel("k", 7, 1);
  trace.in_op(
      "Forked", [&] { fork("forward"); }, R"("Sequence number": 1)");
  trace.kernel("joined", 7, 1);
  trace.tid = kBackward;
  trace.in_op("autograd::engine::evaluate_function: Other", [&] { trace.kernel("k3", 3, 1); });
  const std::string args = R"("Sequence number": 1, "Fwd thread id": 1)";
  trace.in_op(
      "autograd::engine::evaluate_function: ForkedBackward", [&] { fork("backward"); }, args);
  const Lines waits = stream_waits(Linked(trace).linked);
  EXPECT_EQ(count_of(waits, "9 after joined (pattern)"), 1);
  EXPECT_EQ(count_of(waits, "7 after backward branch (pattern)"), 1);
}

/// A backward thread that launches two collectives and waits outside every op, so often.
CallSequence backward_with_reducer(int waits) {
  CallSequence trace;
  trace.tid = kBackward;
  const auto backward_of = [&](const std::string& name, const auto& body) {
    trace.in_op("autograd::engine::evaluate_function: " + name, body);
  };
  for (const std::string number : {"1", "2"})
    backward_of("Mul" + number, [&] {
      trace.kernel("grad" + number, 7, 1);
      all_reduce(trace, -1, 5, "nccl" + number);
    });
  backward_of("Last", [&] { trace.kernel("last", 7, 1); });
  trace.now += 20;
  for (int i = 0; i < waits; ++i) trace.wait_event();
  backward_of("Copy", [&] { trace.kernel("next", 7, 3); });
  return trace;
}

TEST(WaitPatterns, TheReducerWaitsForItsWorksInTheirOrder) {
  const Linked result(backward_with_reducer(2));
  EXPECT_EQ(stream_waits(result.linked),
            (Lines{"20 after grad1 (pattern)", "20 after grad2 (pattern)",
                   "7 after nccl1 (pattern)", "7 after nccl2 (pattern)"}));
  EXPECT_EQ(result.unresolved(), 0U);
}

TEST(WaitPatterns, TheReducersNthWaitIsAtLeastForItsNthWorkWhereThereAreFewer) {
  EXPECT_EQ(
      stream_waits(Linked(backward_with_reducer(1)).linked),
      (Lines{"20 after grad1 (pattern)", "20 after grad2 (pattern)", "7 after nccl1 (pattern)"}));
}

TEST(WaitPatterns, TheReducerHasNoMoreWaitsThanWorks) {
  const Linked result(backward_with_reducer(3));
  EXPECT_EQ(stream_waits(result.linked),
            (Lines{"20 after grad1 (pattern)", "20 after grad2 (pattern)"}));
  EXPECT_EQ(result.unresolved(), 3U);
}

constexpr int kAllSteps = 6, kOddStep = 3;

/// Each step a kernel of stream 9 waits 1 us for one of stream 7; in one step that one has ended
/// before (0), or runs so much longer than the waiting one starts.
CallSequence steps_that_wait(double overlap) {
  CallSequence trace;
  for (int step = 0; step < kAllSteps; ++step)
    trace.in_step(step, [&] {
      trace.in_op("of two streams", [&] {
        const bool is_odd = step == kOddStep;
        const double begin = trace.now, launch_of_waiting = begin + 6;
        const double end = !is_odd       ? begin + 31.25
                           : overlap > 0 ? launch_of_waiting + overlap
                                         : begin + 2.25;
        trace.kernel("work", 7, end - begin);
        trace.record_event();
        trace.wait_event();
        trace.kernel("waits", 9, 5, is_odd ? launch_of_waiting : end + 1);
      });
      trace.now += 50;
    });
  return trace;
}

TEST(WaitPlaces, WhatIsSeenInOtherStepsHoldsAtTheSamePlaceOfOneThatShowsNothing) {
  const Linked result(steps_that_wait(0));
  const Lines waits = stream_waits(result.linked);
  EXPECT_EQ(count_of(waits, "9 after work (timing)"), kAllSteps - 1);
  EXPECT_EQ(count_of(waits, "9 after work (place)"), 1);
  EXPECT_EQ(result.unresolved(), 0U);
}

TEST(WaitPlaces, WhatOneStepContradictsIsNotFollowed) {
  const Linked result(steps_that_wait(20));
  const Lines waits = stream_waits(result.linked);
  EXPECT_EQ(count_of(waits, "9 after work (timing)"), kAllSteps - 1);
  EXPECT_EQ(count_of(waits, "9 after work (place)"), 0);
  EXPECT_EQ(result.unresolved(), 1U);
}

TEST(WaitPlaces, ASynchronisationWaitsForTheStreamThatItWaitsForInOtherSteps) {
  CallSequence trace;
  for (int step = 0; step < kAllSteps; ++step)
    trace.in_step(step, [&] {
      const double begin = trace.now;
      const bool is_odd = step == kOddStep;
      trace.kernel("k", 7, 30.25);
      trace.kernel("k9", 9, is_odd ? 28.25 : 1);  // in one step both end inside the call
      trace.call_named("cudaStreamSynchronize", begin + 35 - trace.now);
    });
  const Linked result(trace);
  const Lines waits = host_waits(result.linked);
  EXPECT_EQ(count_of(waits, "stream 7 (place)"), kAllSteps);
  EXPECT_EQ(result.unresolved(), 0U);
}

TEST(WaitPlaces, ASynchronisationWithoutARowIsForTheStreamOfThoseAtItsPlaceThatAreRecorded) {
  CallSequence trace;
  for (int i = 0; i < 4; ++i) {
    trace.kernel("k", 7, 30);
    trace.kernel("other", 9, 30);
    const double begin = trace.now;
    trace.call_named("cudaStreamSynchronize", 40);
    if (i < 3) trace.lines.push_back(sync("Stream Sync", begin, trace.correlation, 7));
  }
  const Linked result(trace);
  EXPECT_EQ(count_of(host_waits(result.linked), "stream 7 (place)"), 1);
  EXPECT_EQ(result.unresolved(), 0U);
}

TEST(InferredWaits, WhereOneStreamAloneHasRowsAreSilentOfStreamsAndForItOfTheHost) {
  CallSequence trace;
  trace.kernel("k", 7, 30);
  trace.record_event();
  trace.wait_event();
  trace.call_named("cudaStreamSynchronize", 60);
  const Linked result(trace);
  EXPECT_EQ(stream_waits(result.linked), Lines{});
  EXPECT_EQ(host_waits(result.linked), Lines{"stream 7 (pattern)"});
  EXPECT_EQ(result.unresolved(), 0U);
}

}  // namespace
}  // namespace nadi
