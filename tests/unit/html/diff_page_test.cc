#include "nadi/converters/html/diff_page.h"

#include <gtest/gtest.h>

#include "nadi/converters/html/page_json.h"

namespace nadi::html {
namespace {

DiffRow row(const std::string& key, double control_ns, double test_ns) {
  DiffRow made;
  made.key = key;
  made.control.mean_ns = control_ns;
  made.test.mean_ns = test_ns;
  return made;
}

std::string page_of(const DiffReport& report, const GateVerdict& gate = {}) {
  std::string page;
  write_diff_page(report, gate, [&page](std::string_view bytes) { page += bytes; });
  return page;
}

/// The data between the page's own tags.
Json data_of(const std::string& page) {
  const std::string begin = "id=\"data\">";
  const std::size_t from = page.find(begin) + begin.size();
  return Json::parse(page.substr(from, page.find("</script>", from) - from));
}

TEST(WriteDiffPage, HoldsTheRowsThatChangedMostFirst) {
  DiffReport report;
  report.rows = {row("small", 100, 101), row("large", 500, 100)};
  const Json rows = data_of(page_of(report))["rows"];
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0], Json::parse(R"(["large", 4, null, 0, 0, 500, 100])"));
  EXPECT_EQ(rows[1][0], "small");
}

TEST(WriteDiffPage, LeavesOutRowsBeyondTwoMegabytesAndSaysHowMany) {
  DiffReport report;
  for (int i = 0; i < 5000; ++i)
    report.rows.push_back(row(std::string(3000, 'x') + std::to_string(i), 0, i));
  const std::string page = page_of(report);
  EXPECT_LT(page.size(), 3'500'000U);
  const Json data = data_of(page);
  EXPECT_GT(data["rows"].size(), 500U);
  EXPECT_EQ(data["rows"].size() + data["rows_left_out"].get<std::size_t>(), 5000U);
}

TEST(WriteDiffPage, GivesLanesOfOneSideNoTimeOnTheOther) {
  DiffReport report;
  DiffRow lane = row("stream 7", 500, 0);
  lane.control.samples = 2;
  report.lanes[0] = {lane};
  const Json lanes = data_of(page_of(report))["lanes"];
  ASSERT_EQ(lanes.size(), 1U);
  EXPECT_EQ(lanes[0][4], 500);
  EXPECT_EQ(lanes[0][5], nullptr);
}

TEST(WriteDiffPage, NamesNoAddressThatABrowserWouldFetch) {
  DiffReport report;
  report.rows = {row("<img src=http://example.org/x>", 0, 1)};
  const std::string page = page_of(report);
  EXPECT_EQ(page.find("<img"), std::string::npos);
  EXPECT_EQ(page.find("<script src"), std::string::npos);
  EXPECT_EQ(page.find("url(http"), std::string::npos);
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
}

TEST(WriteDiffPage, TellsWhatTheGateSaid) {
  DiffReport report;
  report.rows = {row("new", 0, 1)};
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
