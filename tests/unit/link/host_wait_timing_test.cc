// What the host waited for, of which only the calls are recorded: by queues of events, and by time.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/unit/link/call_sequence.h"

namespace nadi {
namespace {

using namespace test;
using Kind = StreamActionKind;

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

}  // namespace
}  // namespace nadi
