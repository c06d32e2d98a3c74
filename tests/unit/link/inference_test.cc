// Waits of which only the calls are recorded: what patterns, places and timing tell of them.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/link/trace_text.h"

namespace nadi {
namespace {

using namespace test;
using Kind = StreamActionKind;

constexpr int kMain = 100, kBackward = 200;
constexpr int kCommStream = 20;

/// Host threads that take turns, a call every 2 us; rows run when a test says.
struct CallSequence {
  Lines lines;
  double now = 0;
  int tid = kMain;
  int correlation = 10;

  void call_named(const std::string& name, double duration = 1) {
    lines.push_back(call(name, now, duration, ++correlation, tid));
    now += std::max(2.0, duration + 1);
  }
  void record_event() { call_named("cudaEventRecord"); }
  void wait_event() { call_named("cudaStreamWaitEvent"); }
  /// Starts as it is launched where start is 0.
  void kernel(const std::string& name, int stream, double duration, double start = 0) {
    const double begin = start > 0 ? start : now;
    call_named("cudaLaunchKernel");
    lines.push_back(row(name, begin, duration, correlation, stream));
  }
  void copy_to_host(int stream, double duration) {
    const double begin = now;
    call_named("cudaMemcpyAsync");
    lines.push_back(row("Memcpy DtoH (Device -> Pinned)", begin, duration, correlation, stream, "",
                        "gpu_memcpy"));
  }
  /// What `body` does is done in an op of that name.
  template <class Body>
  void in_op(const std::string& name, const Body& body, const std::string& args = "") {
    const double begin = now;
    now += 1;
    body();
    lines.push_back(op(name, begin, now - begin, 0, tid, args));
    now += 1;
  }
  template <class Body>
  void in_step(int number, const Body& body) {
    const double begin = now;
    now += 1;
    body();
    lines.push_back(annotation(fmt::format("ProfilerStep#{}", number), begin, now - begin, tid));
    now += 10;
  }
};

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

/// The row that a stream's wait is for: the last that the stream waited for had been given.
std::string source_name(const LinkedTrace& linked, const StreamAction& record) {
  std::string name = "nothing";
  for (const DeviceRowIndex row : linked.rows_by_lane[record.lane])
    if (linked.rows.enqueue_ns[row] <= record.time_ns)
      name = linked.strings[linked.device.rows.name[row]];
  return name;
}

/// "20 after k (pattern)": of each wait of a stream, in API order.
Lines stream_waits(const LinkedTrace& linked) {
  Lines waits;
  for (const StreamAction& action : linked.actions)
    if (action.kind == Kind::kStreamWaitEvent)
      waits.push_back(fmt::format("{} after {} ({})", linked.lanes[action.lane].stream,
                                  source_name(linked, linked.actions[action.record]),
                                  to_string(action.inferred)));
  return waits;
}

/// "host waits for stream 7 (pattern)", "host waits for k (timing)": in API order.
Lines host_waits(const LinkedTrace& linked) {
  Lines waits;
  for (const StreamAction& action : linked.actions) {
    if (action.kind == Kind::kHostWaitStream)
      waits.push_back(fmt::format("stream {} ({})", linked.lanes[action.lane].stream,
                                  to_string(action.inferred)));
    if (action.kind == Kind::kHostWaitRow)
      waits.push_back(fmt::format("{} ({})", linked.strings[linked.device.rows.name[action.row]],
                                  to_string(action.inferred)));
  }
  return waits;
}

std::ptrdiff_t count_of(const Lines& lines, const std::string& text) {
  return std::count(lines.begin(), lines.end(), text);
}

struct Linked {
  Diagnostics diagnostics;
  LinkedTrace linked;
  explicit Linked(const CallSequence& trace) : linked(link(trace.lines, {}, "", &diagnostics)) {}
  std::uint64_t unresolved() const { return diagnostics.count(Finding::kSyncUnresolved); }
};

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

/// Two kernels in flight: before each launch but the first two, the thread waits for the event
/// behind the one before the last. Those of odd numbers run long where has_long, and hold it up.
CallSequence two_in_flight(std::size_t kernels, bool has_long) {
  CallSequence trace;
  std::vector<double> ends;
  const auto launch = [&](std::size_t i) {
    if (i >= 2)
      trace.call_named("cudaEventSynchronize", std::max(trace.now, ends[i - 2]) + 3 - trace.now);
    const double begin = std::max(trace.now, ends.empty() ? 0 : ends.back());
    const double duration = has_long && i % 2 == 1 ? 90.25 : 1;
    trace.kernel(fmt::format("k{}", i), 7, duration, begin);
    ends.push_back(begin + duration);
    trace.record_event();
  };
  trace.kernel("on another stream", 9, 1);
  trace.in_step(1, [&] {
    for (std::size_t i = 0; i < kernels; ++i) launch(i);
  });
  return trace;
}

/// "k (place)": of each wait of the host for an event, in API order.
Lines event_waits(const LinkedTrace& linked) {
  Lines waits;
  for (const StreamAction& action : linked.actions)
    if (action.kind == Kind::kHostWaitEvent)
      waits.push_back(fmt::format("{} ({})", source_name(linked, linked.actions[action.record]),
                                  to_string(action.inferred)));
  return waits;
}

TEST(EventQueues, SynchronisationsThatShowNothingAreForTheSamePlaceOfTheQueueAsThoseThatBlocked) {
  constexpr std::size_t kKernels = 12;
  const Linked result(two_in_flight(kKernels, true));
  const Lines waits = event_waits(result.linked);
  Lines expected;
  for (std::size_t i = 2; i < kKernels; ++i) expected.push_back(fmt::format("k{} (place)", i - 2));
  EXPECT_EQ(waits, expected);
  EXPECT_EQ(result.unresolved(), 0U);
}

/// Of four kernels the first runs long; a thread waits for it once two are launched, and for the
/// others in turn once all have ended.
Linked taken_in_turn(bool has_records) {
  CallSequence trace;
  trace.kernel("on another stream", 9, 1);
  for (int step = 1; step <= 4; ++step)
    trace.in_step(step, [&] {
      double end = trace.now;
      const auto launch = [&](const char* name, double duration) {
        trace.kernel(name, 7, duration, std::max(trace.now, end));
        end = std::max(trace.now, end) + duration;
        if (has_records) trace.record_event();
      };
      launch("k1", 60);
      const double first_end = end;
      launch("k2", 30);
      trace.call_named("cudaEventSynchronize", first_end + 1 - trace.now);
      launch("k3", 1);
      launch("k4", 1);
      trace.now += 100;
      for (int i = 0; i < 3; ++i) trace.call_named("cudaEventSynchronize", 2);
    });
  return Linked(trace);
}

TEST(EventQueues, OfWhichEveryEventIsWaitedForAreTakenInTurn) {
  for (const bool has_records : {true, false}) {
    Lines expected;
    for (int step = 1; step <= 4; ++step)
      for (const char* name : {"k1", "k2", "k3", "k4"})
        expected.push_back(fmt::format("{} (place)", name));
    EXPECT_EQ(event_waits(taken_in_turn(has_records).linked), expected) << has_records;
  }
}

TEST(EventQueues, WhereNoneHasBlockedNothingIsKnown) {
  const Linked result(two_in_flight(12, false));
  EXPECT_EQ(
      std::count_if(result.linked.actions.begin(), result.linked.actions.end(),
                    [](const StreamAction& action) { return action.kind == Kind::kHostWaitEvent; }),
      0);
}

TEST(WaitTiming, ASynchronisationIsForTheStreamWhoseWorkEndedShortlyBeforeItReturned) {
  CallSequence trace;
  const double begin = trace.now;
  trace.kernel("k", 7, 60.25);
  trace.kernel("k9", 9, 30.25);
  trace.call_named("cudaStreamSynchronize", begin + 65 - trace.now);
  EXPECT_EQ(host_waits(Linked(trace).linked), Lines{"k (timing)"});
}

/// What a call waits for by its time that returns 65 us after "k" began, which took 50.25 us, where
/// "k9" on another stream began so much later and took 10 us.
Lines wait_behind_two_rows(double begins_later) {
  CallSequence trace;
  const double begin = trace.now;
  trace.kernel("k", 7, 50.25);
  trace.kernel("k9", 9, 10.25, begin + begins_later);
  trace.call_named("cudaStreamSynchronize", begin + 65 - trace.now);
  return host_waits(Linked(trace).linked);
}

TEST(WaitTiming, ASynchronisationIsForWhatRanLastWhereItBeganBehindTheOthers) {
  EXPECT_EQ(wait_behind_two_rows(52), Lines{"k9 (timing)"});
  EXPECT_EQ(wait_behind_two_rows(48), Lines{});  // side by side: for either
}

TEST(WaitTiming, TheOrderOfStreamsDoesNotMatter) {
  std::vector<int> streams{7, 8, 9};
  do {
    CallSequence trace;
    const double begin = trace.now;
    trace.kernel("k", streams[0], 47.25);
    trace.kernel("beside it", streams[1], 45.25);
    trace.kernel("last", streams[2], 10.25, begin + 52);
    trace.call_named("cudaStreamSynchronize", begin + 65 - trace.now);
    EXPECT_EQ(host_waits(Linked(trace).linked), Lines{"last (timing)"}) << streams[0] << streams[1];
  } while (std::next_permutation(streams.begin(), streams.end()));
}

/// A thread launches a kernel each 100 us and waits for the one before it. So many of its calls
/// return a microsecond after that kernel has ended, the others find it ended.
Lines waits_of_short_calls(std::size_t blocked, double length_of_others) {
  const auto blocks = [&](std::size_t call) {
    return call > 0 && call % 7 == 0 && call / 7 <= blocked;
  };
  CallSequence trace;
  trace.kernel("on another stream", 9, 1);
  double end = trace.now;
  for (std::size_t i = 0; i < 30; ++i)
    trace.in_step(static_cast<int>(i) + 1, [&] {
      const double begin_of_step = 1000 + 100 * static_cast<double>(i);
      trace.now = begin_of_step;
      const double begin = std::max(begin_of_step + 20, end + 1);
      end = begin_of_step + (blocks(i + 1) ? 151.25 : 140.25);
      trace.kernel(fmt::format("k{}", i), 7, end - begin, begin);
      trace.record_event();
      trace.now = begin_of_step + 50;
      trace.call_named("cudaEventSynchronize", blocks(i) ? 2.5 : length_of_others);
    });
  return host_waits(Linked(trace).linked);
}

TEST(WaitTiming, WorkThatEndsInsideJustTheLongestCallsOfTheSameCodeIsWhatTheyWaitedFor) {
  EXPECT_EQ(waits_of_short_calls(3, 1), (Lines{"k6 (timing)", "k13 (timing)", "k20 (timing)"}));
  EXPECT_EQ(waits_of_short_calls(2, 1), Lines{});  // one in 406 by chance
  EXPECT_EQ(waits_of_short_calls(3, 3), Lines{});
}

TEST(WaitTiming, OfMoreStreamsThanAnyDeviceHasTellsNothingOfTheHost) {
  const auto host_waits_of = [](int streams) {
    CallSequence trace;
    for (int stream = 8; stream < 7 + streams; ++stream) trace.kernel("k", stream, 1);
    const double begin = trace.now;
    trace.kernel("last", 7, 30.25);
    trace.call_named("cudaStreamSynchronize", begin + 35 - trace.now);
    return host_waits(Linked(trace).linked);
  };
  EXPECT_EQ(host_waits_of(256), Lines{"last (timing)"});
  EXPECT_EQ(host_waits_of(257), Lines{});
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
