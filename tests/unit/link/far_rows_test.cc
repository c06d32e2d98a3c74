// Device rows of another day (K32).
#include "nadi/link/far_rows.h"

#include <gtest/gtest.h>

#include "tests/unit/link/trace_text.h"

namespace nadi {
namespace {

using namespace test;

/// Twenty kernels, of which the third starts so many us later.
LinkedTrace kernels(double later_us, Diagnostics& diagnostics) {
  Lines lines = {op("a", 0, 3000, 1)};
  for (int i = 1; i <= 20; ++i) {
    lines.push_back(launch(100 * i, 2, i));
    lines.push_back(row("k", 100 * i + 5 + (i == 3 ? later_us : 0), 20, i));
  }
  return link(lines, {}, "", &diagnostics);
}

TEST(FarRows, K32_StandAtTheirLaunchesAndStretchNoTrace) {
  for (const double later_us : {1e11, -1e11, 4e9}) {
    Diagnostics diagnostics;
    const LinkedTrace linked = kernels(later_us, diagnostics);
    EXPECT_EQ(diagnostics.count("garbage-time"), 1U);
    EXPECT_EQ(linked.device.rows.start_ns[2], kNoTime);
    EXPECT_EQ(linked.device.first_ns, 0);
    EXPECT_EQ(linked.device.last_ns, 3'000'000);
    EXPECT_EQ(linked.device.rows.start_ns[3], 405'000);
  }
}

TEST(FarRows, ThatAreNotThatFarKeepTheirTimes) {
  Diagnostics diagnostics;
  EXPECT_EQ(kernels(100e6, diagnostics).device.rows.start_ns[2], 305'000 + 100'000'000'000);
  EXPECT_EQ(diagnostics.count("garbage-time"), 0U);
}

TEST(FarRows, OfADeviceWithAnotherClockKeepTheirTimes) {
  Lines lines = {op("a", 0, 3000, 1)};
  for (int i = 1; i <= 20; ++i) {
    lines.push_back(launch(100 * i, 2, i));
    lines.push_back(row("k", 1e12 + 100 * i, 20, i));
  }
  Diagnostics diagnostics;
  EXPECT_EQ(link(lines, {}, "", &diagnostics).device.rows.start_ns[0], 1'000'000'000'100'000);
  EXPECT_EQ(diagnostics.count("garbage-time"), 0U);
}

}  // namespace
}  // namespace nadi
