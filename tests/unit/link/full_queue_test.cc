// A launch call that finds its stream's queue full waits for the oldest work in it.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "tests/unit/link/trace_text.h"

namespace nadi {
namespace {

using namespace test;

/// `pending` launches 1 us apart, whose rows of 10 us run one after the other from 5,000 us on;
/// then a launch that begins at 2,500 us. The first row ends at 5,010 us.
LinkedTrace full_queue(int pending, double call_us, Diagnostics& diagnostics) {
  Lines events;
  for (int i = 0; i < pending; ++i) {
    events.push_back(launch(1 + i, 0.5, 100 + i));
    events.push_back(row(fmt::format("k{}", i), 5'000 + 10 * i, 10, 100 + i));
  }
  events.push_back(launch(2'500, call_us, 50));
  events.push_back(row("last", 5'000 + 10 * pending, 10, 50));
  return link(events, {}, "", &diagnostics);
}

TEST(FullQueue, ALongLaunchWaitsForTheOldestOfAThousandPendingRows) {
  Diagnostics diagnostics;
  const LinkedTrace linked = full_queue(1'000, 2'515, diagnostics);
  ASSERT_EQ(linked.actions.size(), 1U);
  const StreamAction& wait = linked.actions.front();
  EXPECT_EQ(wait.kind, StreamActionKind::kHostWaitRow);
  EXPECT_EQ(wait.inferred, Inference::kTiming);
  EXPECT_EQ(linked.strings[linked.device.rows.name[wait.row]], "k0");
  EXPECT_EQ(linked.device.calls.start_ns[wait.call], 2'500'000);
  EXPECT_EQ(linked.calls.role[wait.call], CallRole::kLaunchesAndBlocks);
  EXPECT_EQ(diagnostics.count(Finding::kFullQueueWaited), 1U);
}

TEST(FullQueue, FewerPendingRowsAShortCallOrAnEarlyReturnAreNoWait) {
  for (const auto& [pending, call_us] :
       {std::pair{999, 2'515.0}, std::pair{1'000, 19.0}, std::pair{1'000, 2'505.0}}) {
    Diagnostics diagnostics;
    EXPECT_TRUE(full_queue(pending, call_us, diagnostics).actions.empty()) << pending << call_us;
    EXPECT_EQ(diagnostics.count(Finding::kFullQueueWaited), 0U);
  }
}

}  // namespace
}  // namespace nadi
