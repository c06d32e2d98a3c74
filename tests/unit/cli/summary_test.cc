#include "nadi/converters/cli/summary.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "nadi/converters/report_json.h"

namespace nadi::cli {
namespace {

ConvertReport example() {
  ConvertReport report;
  report.host = "host.json";
  report.has_host_trace = true;
  report.device = "device.json";
  report.output = "out.3.et";
  report.rank = 3;
  report.seconds = 0.5;
  report.host_ops = 1000;
  report.matched_host_ops = 990;
  report.device_rows = 12;
  report.linked_device_rows = 11;
  report.unlaunched_device_rows = 1;
  report.device_rows_by_kind = {{"kernel", 10}, {"memset", 2}};
  report.device_rows_by_evidence = {{"correlation", 11}, {"unlaunched", 1}};
  report.nodes = 2012;
  report.nodes_by_kind = {{"op", 2000}, {"device row", 12}};
  report.edges = {{"thread order", 1999}, {"launch", 11}, {"event wait", 36}};
  report.inferred_edges = {{"event wait", 35}};
  report.inferences = {{"event wait", {{"pattern", 30}, {"place", 4}, {"timing", 1}}}};
  report.collectives = {{"ALL_REDUCE", 2}};
  report.span_ns = 4'000'000;
  report.unexplained_ns = 1'000'000;
  report.lanes = {{"thread 1", 2000, 3'000'000, 1'000'000, 4'000'000}};
  report.diagnostics = {{Finding::kSyncUnresolved, 4, {"cudaStreamSynchronize at 7"}}};
  return report;
}

TEST(Summary, TellsEverythingAPersonNeedsInOneScreen) {
  EXPECT_EQ(format_summary(example()),
            R"(out.3.et (rank 3) in 0.50 s
  matched      990 of 1,000 host ops (99.0 %)
  device rows  12: 10 kernel, 2 memset
  linked by    11: 11 correlation, 1 unlaunched
  nodes        2,012: 2,000 op, 12 device row
  edges        2,046: 1,999 thread order, 11 launch, 36 event wait (30 by pattern, 4 by place, 1 by timing)
  collectives  2: 2 ALL_REDUCE
  what-ifs     rest on 36 waits between threads and streams, 1 recorded and 35 inferred; what 4 more waited for is unknown; 25.0 % of the time of all lanes is unexplained
  span         4.000 ms

  lane      nodes     until  unexplained (of until)
  thread 1  2,000  4.000 ms       1.000 ms (25.0 %)
)");
}

TEST(Summary, SaysHowManyLaunchesHaveNoRow) {
  ConvertReport report = example();
  report.launches_without_row = 1;
  EXPECT_NE(format_summary(report).find("2 memset; 1 more launch has no row\n"), std::string::npos);
  report.launches_without_row = 3107;
  EXPECT_NE(format_summary(report).find("2 memset; 3,107 more launches have no row\n"),
            std::string::npos);
}

TEST(Summary, SaysThatThereWasNoHostTrace) {
  ConvertReport report;
  report.device = "device.json";
  EXPECT_NE(format_summary(report).find("no host trace"), std::string::npos);
}

TEST(Summary, ShowsTheFirstLanesOfManyAndCountsTheRest) {
  ConvertReport report;
  report.lanes.assign(15, LaneReport{"lane", 1, 1, 0});
  EXPECT_NE(format_summary(report).find("and 3 more lanes"), std::string::npos);
}

TEST(ReportJson, HoldsTheKeysThatTheReportPromises) {
  const auto json = report_json(example());
  EXPECT_EQ(json["host_ops"], 1000);
  EXPECT_EQ(json["matched_host_ops"], 990);
  EXPECT_EQ(json["device_rows"], 12);
  EXPECT_EQ(json["linked_device_rows"], 11);
  EXPECT_EQ(json["unlaunched_device_rows"], 1);
  EXPECT_EQ(json["nodes"], 2012);
  EXPECT_EQ(json["edges"]["launch"], 11);
  EXPECT_EQ(json["inferred_edges"].dump(), R"({"event wait":35})");
  EXPECT_EQ(json["inferences"].dump(), R"({"event wait":{"pattern":30,"place":4,"timing":1}})");
  EXPECT_EQ(json["collectives"]["ALL_REDUCE"], 2);
  EXPECT_EQ(json["span_ns"], 4'000'000);
  EXPECT_EQ(json["unexplained_ns"], 1'000'000);
  EXPECT_EQ(json["diagnostics"][0]["kind"], "sync-unresolved");
  EXPECT_EQ(json["diagnostics"][0]["severity"], "warning");
  EXPECT_EQ(json["diagnostics"][0]["count"], 4);
  EXPECT_EQ(json["diagnostics"][0]["first"][0], "cudaStreamSynchronize at 7");
}

TEST(ReportJson, EmptyTablesAreObjectsAndListsNotNull) {
  const auto json = report_json({});
  EXPECT_TRUE(json["edges"].is_object());
  EXPECT_TRUE(json["collectives"].is_object());
  EXPECT_TRUE(json["diagnostics"].is_array());
}

TEST(ReportJson, DoesNotDependOnTheTimeTaken) {
  ConvertReport slow = example();
  slow.seconds = 99;
  EXPECT_EQ(report_json(slow), report_json(example()));
}

TEST(ReportJson, BytesThatAreNoUtf8DoNotBreakIt) {
  ConvertReport report = example();
  report.diagnostics[0].first = {"op \xff\xfe"};
  const auto json = nlohmann::json::parse(json_text(report_json(report)));
  EXPECT_EQ(json["diagnostics"][0]["first"][0], "op \xef\xbf\xbd\xef\xbf\xbd");
}

}  // namespace
}  // namespace nadi::cli
