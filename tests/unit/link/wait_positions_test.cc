// Waits of streams of which only the calls are recorded: what others of the same code tell of them.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/link/call_sequence.h"

namespace nadi {
namespace {

using namespace test;

constexpr int kCurrent = 7, kOther = 20;

/// Gives rows to the two streams, one behind the other on each.
class Streams {
 public:
  explicit Streams(CallSequence& trace) : trace_(trace) {}

  /// Returns when the row ends, which begins no earlier than `from`.
  double run(const std::string& name, int stream, double duration, double from = 0) {
    double& free = stream == kCurrent ? current_free_ : other_free_;
    constexpr double kLaunchTakes = 5, kRowFollows = 1;
    const double start = std::max({trace_.now + 1 + kLaunchTakes, free + kRowFollows, from});
    trace_.in_op("aten::" + name, [&] { trace_.kernel(name, stream, duration, start); });
    free = start + duration;
    return free;
  }

 private:
  CallSequence& trace_;
  double current_free_ = 0, other_free_ = 0;
};

/// Layers gather on another stream; the copy of each waits for its own gathering, but only in the
/// first layer that holds it up. Their names stand around the waits.
CallSequence layers(int steps, int count, const std::string& separator) {
  CallSequence trace;
  Streams streams(trace);
  for (int step = 0; step < steps; ++step)
    trace.in_step(step, [&] {
      for (int layer = 0; layer < count; ++layer) {
        const double gathered = streams.run("gather", kOther, layer == 0 ? 100 : 5);
        trace.record_event();
        for (int i = 0; i < 3; ++i) streams.run("mul", kCurrent, layer == 0 ? 1 : 40);
        const double begin = trace.now;
        trace.now += 1;
        trace.wait_event();
        streams.run("copy", kCurrent, 3, gathered + 1);
        trace.lines.push_back(annotation(fmt::format("copy out{}{})", separator, layer), begin,
                                         trace.now - begin, trace.tid));
      }
      trace.now += 400;
    });
  return trace;
}

TEST(WaitPositions, WhatIsSeenInOneLayerHoldsInAll) {
  constexpr int kTimes = 6, kOfThem = 3;
  const Linked result(layers(kTimes, kOfThem, " (layers."));
  const LinkedTrace& linked = result.linked;
  EXPECT_EQ(count_of(stream_waits(linked), "7 after gather (timing)"), kTimes);
  EXPECT_EQ(count_of(stream_waits(linked), "7 after gather (place)"), kTimes * (kOfThem - 1));
  EXPECT_EQ(result.unresolved(), 0U);
  // Each for the gathering of its own layer.
  std::vector<Ns> gathered, waited_for;
  for (const DeviceRowIndex row : linked.rows_in_api_order)
    if (linked.strings[linked.device.rows.name[row]] == "gather")
      gathered.push_back(linked.rows.enqueue_ns[row]);
  for (const StreamAction& action : linked.actions)
    if (action.kind == StreamActionKind::kStreamWaitEvent)
      waited_for.push_back(linked.actions[action.record].time_ns);
  EXPECT_EQ(waited_for, gathered);
}

TEST(WaitPositions, LayersOfOtherNamesAreOtherCode) {
  const Linked result(layers(6, 3, " of layer "));
  EXPECT_EQ(count_of(stream_waits(result.linked), "7 after gather (place)"), 0);
  EXPECT_EQ(result.unresolved(), 12U);
}

/// A record and a wait between a launch on one stream and one on the other, of which the row never
/// begins right when the former ends. Of the latter's launch so much is left by then.
Lines between_launches(int times, double launched_before_end) {
  CallSequence trace;
  Streams streams(trace);
  for (int i = 0; i < times; ++i) {
    for (int k = 0; k < 3; ++k) streams.run("mul", kCurrent, 1);
    const double launch = trace.now + 1 + 4 + 1 + 4 + 2 + 1;  // of "main"
    const double end = launch + launched_before_end;
    streams.run("side", kOther, end - (trace.now + 6));
    trace.in_op("hook", [&] {
      trace.record_event();
      trace.wait_event();
    });
    streams.run("main", kCurrent, 3, end + 12 + i % 5);
    trace.now += 100;
  }
  return stream_waits(Linked(trace).linked);
}

TEST(WaitPositions, ARowThatNeverBeganBeforeAnotherEndedThoughItWasThereWaitedForIt) {
  EXPECT_EQ(count_of(between_launches(12, 30), "7 after side (place)"), 12);
  EXPECT_EQ(between_launches(9, 30), Lines{});
}

TEST(WaitPositions, ARowThatWasJustLaunchedWhenAnotherEndedShowsNothing) {
  EXPECT_EQ(between_launches(60, 3), Lines{});
}

}  // namespace
}  // namespace nadi
