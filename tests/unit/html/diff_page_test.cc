#include "nadi/converters/html/diff_page.h"

#include <gtest/gtest.h>

#include "tests/unit/html/page_data.h"

namespace nadi::html {
namespace {

DiffRow row(const std::string& key, double control_ns, double test_ns) {
  DiffRow made;
  made.key = key;
  made.control.mean_ns = control_ns;
  made.test.mean_ns = test_ns;
  return made;
}

/// A report of these rows, whose own times are theirs.
DiffReport report_of(std::vector<DiffRow> rows) {
  DiffReport report;
  report.own = rows;
  report.rows = std::move(rows);
  return report;
}

std::string page_of(const DiffReport& report, const GateVerdict& gate = {}) {
  std::string page;
  write_diff_page(report, gate, [&page](std::string_view bytes) { page += bytes; });
  return page;
}

TEST(WriteDiffPage, HoldsTheRowsThatChangedMostFirst) {
  DiffReport report = report_of({row("small", 100, 101), row("large", 500, 100)});
  report.own[1] = row("large", 40, 41);
  const Json rows = data_of(page_of(report))["rows"];
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0], Json::parse(R"(["large", 4, 0, 0, null, 40, 41, null, 500, 100])"));
  EXPECT_EQ(rows[1][0], "small");
}

TEST(WriteDiffPage, LeavesOutRowsBeyondTwoMegabytesAndSaysHowMany) {
  std::vector<DiffRow> rows;
  for (int i = 0; i < 5000; ++i)
    rows.push_back(row(std::string(3000, 'x') + std::to_string(i), 0, i));
  const std::string page = page_of(report_of(std::move(rows)));
  EXPECT_LT(page.size(), 3'500'000U);
  const Json data = data_of(page);
  EXPECT_GT(data["rows"].size(), 500U);
  EXPECT_EQ(data["rows"].size() + data["rows_left_out"].get<std::size_t>(), 5000U);
}

TEST(WriteDiffPage, GivesLanesOfOneSideNoTimeOnTheOther) {
  DiffReport report;
  DiffRow lane = row("stream 7", 500, 0);
  lane.control.samples = 2;
  report.lanes[static_cast<std::size_t>(LaneMeasure::kStreamIdle)] = {lane};
  const Json lanes = data_of(page_of(report))["lanes"];
  ASSERT_EQ(lanes.size(), 1U);
  EXPECT_EQ(lanes[0][4], 500);
  EXPECT_EQ(lanes[0][5], nullptr);
}

TEST(WriteDiffPage, SaysTheIterationFirstThenTheDevicesThenTheOwnTimeOfAllRows) {
  DiffReport report;
  const auto lane = [&report](LaneMeasure measure) -> std::vector<DiffRow>& {
    return report.lanes[static_cast<std::size_t>(measure)];
  };
  DiffRow several = row("ProfilerStep", 700, 900);
  several.control.samples = several.test.samples = 2;
  several.control.deviation_ns = 30;
  several.test.deviation_ns = 40;
  several.verdict = Verdict::kSignificant;
  DiffRow single = row("device 0", 50, 60);
  single.control.samples = single.test.samples = 1;
  lane(LaneMeasure::kDeviceIdle) = {row("device 0", 5, 6), row("device 1", 7, 8)};
  lane(LaneMeasure::kDeviceBusy) = {single};
  lane(LaneMeasure::kIteration) = {several};
  report.total = single;
  const Json data = data_of(page_of(report));
  EXPECT_EQ(data["headlines"], Json::parse(R"([["iteration", 700, 30, 900, 40, true],
    ["device busy", 50, null, 60, null, null], ["device idle, device 0", null, null, null, null, null],
    ["device idle, device 1", null, null, null, null, null],
    ["own time of all rows", 50, null, 60, null, null]])"));
  EXPECT_EQ(data["lanes"], Json::array());
}

TEST(WriteDiffPage, NamesNoAddressThatABrowserWouldFetch) {
  const DiffReport report = report_of({row("<img src=http://example.org/x>", 0, 1)});
  const std::string page = page_of(report);
  EXPECT_EQ(page.find("<img"), std::string::npos);
  EXPECT_EQ(page.find("<script src"), std::string::npos);
  EXPECT_EQ(page.find("url(http"), std::string::npos);
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
}

TEST(WriteDiffPage, TellsWhatTheGateSaid) {
  const DiffReport report = report_of({row("new", 0, 1)});
  EXPECT_EQ(data_of(page_of(report))["gate"], nullptr);
  GateVerdict gate;
  gate.conditions = {"added>0"};
  gate.failed = {{"added>0", "1 row", {0}}};
  const Json told = data_of(page_of(report, gate))["gate"];
  EXPECT_EQ(told["is_open"], false);
  EXPECT_EQ(told["failed"][0]["rows"], Json::parse(R"(["new"])"));
}

}  // namespace
}  // namespace nadi::html
