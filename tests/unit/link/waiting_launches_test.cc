// Launches that return when what they launched has ended, as with CUDA_LAUNCH_BLOCKING=1.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "tests/unit/link/trace_text.h"

namespace nadi {
namespace {

using namespace test;

/// `count` launches, each after the one before it has returned: its rows begin 10 us after it and
/// take 20, 120, … or 420 us in all; the call returns 5 us after its last row has ended, or after
/// it began.
struct Launching {
  int count = 25;
  bool waits = true;
  int rows = 1;
};

LinkedTrace launch_all(const Launching& launching, Diagnostics& diagnostics) {
  Lines events;
  double begin = 100;
  for (int i = 0; i < launching.count; ++i) {
    const double busy_us = 20 + 100 * (i % 5), row_us = busy_us / launching.rows;
    events.push_back(launch(begin, launching.waits ? 15 + busy_us : 5, 100 + i));
    for (int row_of = 0; row_of < launching.rows; ++row_of)
      events.push_back(
          row(fmt::format("k{}", row_of), begin + 10 + row_of * row_us, row_us, 100 + i));
    begin += 500;
  }
  return link(events, {}, "", &diagnostics);
}

void expect_all_wait(const Launching& launching) {
  Diagnostics diagnostics;
  const LinkedTrace linked = launch_all(launching, diagnostics);
  ASSERT_EQ(linked.actions.size(), 25U);
  for (const StreamAction& wait : linked.actions) {
    EXPECT_EQ(wait.kind, StreamActionKind::kHostWaitRow);
    EXPECT_EQ(wait.inferred, Inference::kTiming);
    EXPECT_EQ(linked.rows.launch[wait.row], wait.call);
    EXPECT_EQ(linked.strings[linked.device.rows.name[wait.row]],
              fmt::format("k{}", launching.rows - 1));
    EXPECT_EQ(linked.calls.role[wait.call], CallRole::kLaunchesAndBlocks);
  }
  EXPECT_EQ(diagnostics.count(Finding::kLaunchesWait), 25U);
}

TEST(WaitingLaunches, WaitForTheLastOfTheirRowsWhereLongOnesTellSo) {
  expect_all_wait({});
  expect_all_wait({.rows = 2});
}

TEST(WaitingLaunches, OfFewLongRowsOrThoseThatReturnAtOnceAreNotKnownTo) {
  for (const Launching& launching : {Launching{.count = 12}, Launching{.waits = false}}) {
    Diagnostics diagnostics;
    EXPECT_TRUE(launch_all(launching, diagnostics).actions.empty()) << launching.count;
    EXPECT_EQ(diagnostics.count(Finding::kLaunchesWait), 0U);
  }
}

/// Each call returns when a row has ended that was launched long before, always as long before its
/// own one ends.
TEST(WaitingLaunches, ThatFindAFullQueueWaitForOthersRows) {
  constexpr int kQueue = 20;
  Lines events;
  for (int i = 0; i < 60; ++i) {
    events.push_back(launch(1'000 + 200 * i, 195, 100 + i));
    events.push_back(row("k", 1'200 + 200 * (i + kQueue), 195 + i % 4, 100 + i));
  }
  Diagnostics diagnostics;
  EXPECT_TRUE(link(events, {}, "", &diagnostics).actions.empty());
  EXPECT_EQ(diagnostics.count(Finding::kLaunchesWait), 0U);
}

}  // namespace
}  // namespace nadi
