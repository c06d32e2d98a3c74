// Launches that return when what they launched has ended, as with CUDA_LAUNCH_BLOCKING=1.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "tests/unit/link/trace_text.h"

namespace nadi {
namespace {

using namespace test;

/// `count` launches, each after the one before it has returned: its row begins 10 us after it and
/// takes 20, 120, … or 420 us, or always 20 us; the call returns 5 us after the row has ended, or
/// 5 us after it began.
struct Launching {
  int count = 25;
  bool returns_after_row = true;
  bool have_equal_rows = false;
};

LinkedTrace launch_all(const Launching& launching, Diagnostics& diagnostics) {
  Lines events;
  double begin = 100;
  for (int i = 0; i < launching.count; ++i) {
    const double row_us = launching.have_equal_rows ? 20 : 20 + 100 * (i % 5);
    events.push_back(launch(begin, launching.returns_after_row ? 15 + row_us : 5, 100 + i));
    events.push_back(row(fmt::format("k{}", i), begin + 10, row_us, 100 + i));
    begin += 500;
  }
  return link(events, {}, "", &diagnostics);
}

TEST(WaitingLaunches, OfRowsThatTakeDifferentlyLongAllWait) {
  Diagnostics diagnostics;
  const LinkedTrace linked = launch_all({}, diagnostics);
  ASSERT_EQ(linked.actions.size(), 25U);
  for (const StreamAction& wait : linked.actions) {
    EXPECT_EQ(wait.kind, StreamActionKind::kHostWaitRow);
    EXPECT_EQ(wait.inferred, Inference::kTiming);
    EXPECT_EQ(linked.rows.launch[wait.row], wait.call);
    EXPECT_EQ(linked.calls.role[wait.call], CallRole::kLaunchesAndBlocks);
  }
  EXPECT_EQ(diagnostics.count(Finding::kLaunchesWait), 25U);
}

TEST(WaitingLaunches, FewOrThoseThatReturnAtOnceOrAlwaysAfterEquallyLongAreNotKnownTo) {
  for (const Launching& launching : {Launching{.count = 19}, Launching{.returns_after_row = false},
                                     Launching{.have_equal_rows = true}}) {
    Diagnostics diagnostics;
    EXPECT_TRUE(launch_all(launching, diagnostics).actions.empty()) << launching.count;
    EXPECT_EQ(diagnostics.count(Finding::kLaunchesWait), 0U);
  }
}

}  // namespace
}  // namespace nadi
