// Device rows that seem to run longer than the rest of the trace allows (K32).
#include <gtest/gtest.h>

#include "tests/unit/link/trace_text.h"

namespace nadi {
namespace {

using namespace test;

/// Launches at 10, 20, …, by calls of 5 us; rows of 30 us at 40 + ahead, 80 + ahead, …; a call at
/// 65 that waits until 290. `rows` stand for those of their place.
Lines trace(const std::map<int, std::string>& rows, double ahead = 0, bool has_wait = true,
            const std::string& api = "cudaLaunchKernel") {
  Lines events;
  for (int i = 0; i < 6; ++i) {
    events.push_back(call(api, 10 + 10 * i, 5, 11 + i));
    const auto own = rows.find(i);
    events.push_back(own != rows.end()
                         ? own->second
                         : row("k" + std::to_string(i), 40 + 40 * i + ahead, 30, 11 + i));
  }
  if (has_wait) events.push_back(call("cudaDeviceSynchronize", 70, 220, 30));
  return events;
}

/// "80+40": begin and length of the row at a place, in us.
std::string time_of(const Lines& events, std::size_t place, std::uint64_t damaged = 1) {
  Diagnostics diagnostics;
  const LinkedTrace linked = link(events, {}, "", &diagnostics);
  EXPECT_EQ(diagnostics.count(Finding::kDamagedTime), damaged);
  const DeviceRows& rows = linked.device.rows;
  return fmt::format("{}+{}", rows.start_ns[place] / 1000, rows.duration_ns[place] / 1000);
}

TEST(DamagedTimes, K32_AnEndIsCutWhereTheNextRowBegins) {
  EXPECT_EQ(time_of(trace({{1, row("k1", 80, 1600000, 12)}}), 1), "80+40");
  EXPECT_EQ(time_of(trace({{1, row("k1", 80, 1600000, 12)}}, 0, true, "hipLaunchKernel"), 1),
            "80+40");
}

TEST(DamagedTimes, K32_TheEndOfTheLastRowIsCutWhereTheCallThatWaitedForItReturned) {
  EXPECT_EQ(time_of(trace({{5, row("k5", 240, 1600000, 16)}}), 5), "240+50");
}

TEST(DamagedTimes, K32_AnEndWithinTheTimeOfItsLaunchAndItsWaitIsCutWhereBothContradictIt) {
  EXPECT_EQ(time_of(trace({{5, row("k5", 240, 90, 16)}}), 5, 0), "240+90");  // one alone: the clock
  EXPECT_EQ(time_of(trace({{4, row("k4", 200, 150, 15)}}), 4), "200+40");
}

TEST(DamagedTimes, K32_AStartIsCutWhereTheRowBeforeItEnds) {
  EXPECT_EQ(time_of(trace({{2, row("k2", -900000, 900150, 13)}}), 2), "110+40");
}

TEST(DamagedTimes, K32_BothMayBeDamaged) {
  EXPECT_EQ(time_of(trace({{2, row("k2", -900000, 1900000, 13)}}), 2), "110+50");
}

TEST(DamagedTimes, K32_WithoutAWaitThreeRowsInsideTell) {
  EXPECT_EQ(time_of(trace({{1, row("k1", 80, 1600000, 12)}}, 0, false), 1), "80+40");
  EXPECT_EQ(time_of(trace({{3, row("k3", 160, 1600000, 14)}}, 0, false), 3, 0), "160+1600000");
  // Streams of ROCm share queues in which rows may run side by side.
  EXPECT_EQ(time_of(trace({{1, row("k1", 80, 1600000, 12)}}, 0, false, "hipLaunchKernel"), 1, 0),
            "80+1600000");
}

TEST(DamagedTimes, K23_AClockThatIsOffDamagesNothing) {
  const auto length = [](const std::string& time) { return time.substr(time.find('+')); };
  EXPECT_EQ(length(time_of(trace({}, 500), 5, 0)), "+30");
  EXPECT_EQ(length(time_of(trace({}, -500), 5, 0)), "+30");
  EXPECT_EQ(length(time_of(trace({{1, row("k1", 580, 46, 12)}}, 500), 1, 0)), "+46");
}

TEST(DamagedTimes, K32_OfARowLaunchedBeforeTheTraceTheOthersTellToo) {
  Lines events = trace({});
  events.push_back(row("before", 20, 1600000, 5));
  EXPECT_EQ(time_of(events, 6), "20+20");
}

TEST(DamagedTimes, K32_ARowThatIsDisplacedAsAWholeKeepsItsTimes) {
  EXPECT_EQ(time_of(trace({{1, row("k1", 3000, 30, 12)}}), 1, 0), "3000+30");
  EXPECT_EQ(time_of(trace({{1, row("k1", -3000, 30, 12)}}), 1, 0), "-3000+30");
}

TEST(DamagedTimes, RowsSideBySideInAGraphLaunchAreRight) {
  Lines events = {call("cudaGraphLaunch", 10, 5, 11), row("long", 20, 500, 11)};
  for (int i = 0; i < 5; ++i) events.push_back(row("k", 30 + 10 * i, 5, 11));
  EXPECT_EQ(time_of(events, 0, 0), "20+500");
}

TEST(DamagedTimes, StreamsOfTwoContextsMayHaveOneNumber) {
  Lines events = {launch(10, 5, 11), row("long", 20, 500, 11, 7, R"("context": 2)")};
  events[1].replace(events[1].find("\"context\": 1, "), 14, "");
  for (int i = 0; i < 5; ++i) {
    events.push_back(launch(30 + 10 * i, 5, 12 + i));
    events.push_back(row("k", 40 + 10 * i, 5, 12 + i));
  }
  EXPECT_EQ(time_of(events, 0, 0), "20+500");
}

TEST(DamagedTimes, ADeviceOfManyDamagedRowsKeepsItsTimes) {
  EXPECT_EQ(
      time_of(trace({{1, row("k1", 80, 1600000, 12)}, {3, row("k3", 160, 1600000, 14)}}), 1, 0),
      "80+1600000");
}

}  // namespace
}  // namespace nadi
