// Events of another day (K32).
#include "nadi/link/far_times.h"

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

TEST(FarTimes, K32_OfRowsStandAtTheirLaunchesAndStretchNoTrace) {
  for (const double later_us : {1e11, -1e11, 4e9}) {
    Diagnostics diagnostics;
    const LinkedTrace linked = kernels(later_us, diagnostics);
    EXPECT_EQ(diagnostics.count(Finding::kGarbageTime), 1U);
    EXPECT_EQ(linked.device.rows.start_ns[2], kNoTime);
    EXPECT_EQ(linked.device.first_ns, 0);
    EXPECT_EQ(linked.device.last_ns, 3'000'000);
    EXPECT_EQ(linked.device.rows.start_ns[3], 405'000);
  }
}

TEST(FarTimes, ThatAreNotThatFarStay) {
  Diagnostics diagnostics;
  EXPECT_EQ(kernels(100e6, diagnostics).device.rows.start_ns[2], 305'000 + 100'000'000'000);
  EXPECT_EQ(diagnostics.count(Finding::kGarbageTime), 0U);
}

TEST(FarTimes, OfADeviceWithAnotherClockStay) {
  Lines lines = {op("a", 0, 3000, 1)};
  for (int i = 1; i <= 20; ++i) {
    lines.push_back(launch(100 * i, 2, i));
    lines.push_back(row("k", 1e12 + 100 * i, 20, i));
  }
  Diagnostics diagnostics;
  EXPECT_EQ(link(lines, {}, "", &diagnostics).device.rows.start_ns[0], 1'000'000'000'100'000);
  EXPECT_EQ(diagnostics.count(Finding::kGarbageTime), 0U);
}

/// Twenty ops that launch a kernel each; of the third, the op and its call begin and last as given.
Lines launches(double op_us, double op_length_us, double call_us) {
  Lines lines = {op("all", 0, 3000, 100)};
  for (int i = 1; i <= 20; ++i) {
    const double at = 100 * i;
    lines.push_back(
        op("op" + std::to_string(i), i == 3 ? op_us : at, i == 3 ? op_length_us : 50, i));
    lines.push_back(launch(i == 3 ? call_us : at + 2, 2, i));
    lines.push_back(row("k", at + 10, 20, i));
  }
  return lines;
}

TEST(FarTimes, K32_OfAnOpOrACallAreThoseOfALostRecord) {
  for (const double day_us : {-1e11, 1e11}) {
    Diagnostics diagnostics;
    const LinkedTrace linked = link(launches(day_us, 50, 302), {}, "", &diagnostics);
    EXPECT_EQ(diagnostics.count(Finding::kGarbageTime), 1U);
    EXPECT_EQ(linked.ops.size(), 20U);
    EXPECT_EQ(linked.device.first_ns, 0);
    EXPECT_EQ(linked.device.last_ns, 3'000'000);
    Diagnostics of_call;
    const LinkedTrace without_call = link(launches(300, 50, day_us), {}, "", &of_call);
    EXPECT_EQ(of_call.count(Finding::kGarbageTime), 1U);
    EXPECT_EQ(without_call.device.calls.size(), 19U);
    EXPECT_EQ(without_call.device.rows.start_ns[2], 310'000);
    EXPECT_EQ(without_call.device.last_ns, 3'000'000);
  }
}

TEST(FarTimes, K32_OfAnEndAreGarbageToo) {
  Diagnostics diagnostics;
  const LinkedTrace linked = link(launches(300, 8e10, 302), {}, "", &diagnostics);
  EXPECT_EQ(diagnostics.count(Finding::kGarbageTime), 1U);
  EXPECT_EQ(linked.device.last_ns, 3'000'000);
}

TEST(FarTimes, K32_OfOneRowOfAFewAreGarbageButNotOfTheOnlyOne) {
  const auto garbage = [](int rows) {
    Lines lines = {op("a", 0, 3000, 1)};
    for (int i = 1; i <= rows; ++i) {
      lines.push_back(launch(100 * i, 2, i));
      lines.push_back(row("k", 100 * i + 5 + (i == rows ? 1e11 : 0), 20, i));
    }
    Diagnostics diagnostics;
    link(lines, {}, "", &diagnostics);
    return diagnostics.count(Finding::kGarbageTime);
  };
  EXPECT_EQ(garbage(2), 1U);
  EXPECT_EQ(garbage(6), 1U);
  EXPECT_EQ(garbage(1), 0U);
}

TEST(FarTimes, OfATraceOfManyHoursStay) {
  Lines lines;
  for (int i = 0; i < 20; ++i) lines.push_back(op("op", 7.2e9 * i, 5, i + 1));  // two hours apart
  Diagnostics diagnostics;
  EXPECT_EQ(link(lines, {}, "", &diagnostics).ops.size(), 20U);
  EXPECT_EQ(diagnostics.count(Finding::kGarbageTime), 0U);
}

}  // namespace
}  // namespace nadi
