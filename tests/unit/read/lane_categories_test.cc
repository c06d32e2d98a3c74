// Events without a category: what the names of their process and thread make of them.
#include <gtest/gtest.h>

#include "tests/unit/read/read_text.h"

namespace nadi {
namespace {

using test::read_events;

std::string name_row(const std::string& what, const std::string& pid, const std::string& tid,
                     const std::string& name) {
  return R"({"ph": "M", "name": ")" + what + R"(", "pid": )" + pid + R"(, "tid": )" + tid +
         R"(, "args": {"name": ")" + name + R"("}})";
}

std::string row(const std::string& name, const std::string& pid, const std::string& tid,
                const std::string& args) {
  return R"({"name": ")" + name + R"(", "pid": )" + pid + R"(, "tid": )" + tid +
         R"(, "ts": "20.5", "dur": 5, "args": {)" + args + R"(}, "ph": "X"})";
}

const std::string kGpu = name_row("process_name", "3", "0", "/device:GPU:1") + "," +
                         name_row("thread_name", "3", "14", "Stream #21(Compute,MemcpyH2D)");

TEST(LaneCategories, NamesBehindTheEventsTellAsMuchAsThoseBefore) {
  const std::string kernel = row("fusion", "3", "14", R"("correlation_id": "40")");
  for (const std::string& events : {kGpu + "," + kernel, kernel + "," + kGpu}) {
    Diagnostics diagnostics;
    const DeviceTrace trace = read_events(events, diagnostics);
    ASSERT_EQ(trace.rows.size(), 1U);
    EXPECT_EQ(trace.rows.kind[0], DeviceRowKind::kKernel);
    EXPECT_EQ(trace.rows.device[0], 1);
    EXPECT_EQ(trace.rows.stream[0], 21);
    EXPECT_EQ(trace.rows.correlation[0], 40);
    EXPECT_EQ(trace.rows.start_ns[0], 20'500);
    EXPECT_FALSE(diagnostics.has_loss());
  }
}

TEST(LaneCategories, EventsThatWaitForNamesKeepTheirOrderAndAreRepaired) {
  const std::string op =
      R"({"ph": "X", "cat": "cpu_op", "name": "op", "pid": 9, "tid": 9, "ts": 1, "dur": 2, "args": )";
  Diagnostics diagnostics;
  const DeviceTrace trace =
      read_events(row("fusion", "3", "14", "") + "," + op + "{}}," + op +
                      R"({"Process Group Description": , "Ev Idx": 1}},)" + kGpu,
                  diagnostics);
  ASSERT_EQ(trace.rows.size(), 1U);
  ASSERT_EQ(trace.ops.size(), 2U);
  EXPECT_EQ(trace.rows.order[0], 0U);
  EXPECT_EQ(trace.ops.order[0], 1U);
  EXPECT_EQ(diagnostics.count(Finding::kBrokenJsonRepaired), 1U);
}

TEST(LaneCategories, CopiesAndSetsOfAStreamAreKnownByTheirNames) {
  const DeviceTrace trace = read_events(kGpu + "," + row("MemcpyH2D", "3", "14", "") + "," +
                                        row("Memset", "3", "14", ""));
  ASSERT_EQ(trace.rows.size(), 2U);
  EXPECT_EQ(trace.rows.kind[0], DeviceRowKind::kMemcpy);
  EXPECT_EQ(trace.rows.kind[1], DeviceRowKind::kMemset);
}

TEST(LaneCategories, LinesDerivedFromStreamsAreNoRows) {
  Diagnostics diagnostics;
  const DeviceTrace trace =
      read_events(kGpu + "," + name_row("thread_name", "3", "5", "XLA Ops") + "," +
                      row("fusion", "3", "14", "") + "," + row("fusion", "3", "5", ""),
                  diagnostics);
  EXPECT_EQ(trace.rows.size(), 1U);
  EXPECT_FALSE(diagnostics.has_loss());
}

TEST(LaneCategories, WhatNoNameTellsIsCountedByProcess) {
  Diagnostics diagnostics;
  read_events(kGpu + "," + row("fusion", "3", "14", "") + "," +
                  name_row("process_name", "8", "0", "someone") + "," + row("a", "8", "1", "") +
                  "," + row("b", "8", "1", "") + "," + row("c", "7", "1", ""),
              diagnostics);
  EXPECT_EQ(diagnostics.count(Finding::kRowsWithoutCategory), 3U);
  for (const Diagnostic& found : diagnostics.table()) {
    if (found.kind != Finding::kRowsWithoutCategory) continue;
    EXPECT_EQ(severity_of(found.kind), Severity::kLoss);
    EXPECT_EQ(found.first, (std::vector<std::string>{"1 of process \"7\": \"c\", event 6",
                                                     "2 of process \"someone\": \"a\", event 4"}));
  }
}

TEST(LaneCategories, ProcessesThatOnlyBeginAsThoseOfTorchNpuTellNothing) {
  for (const char* name : {"Communication thread", "Python 3.12", "CANNON", "Ascend Hardware 2"}) {
    Diagnostics diagnostics;
    const DeviceTrace trace =
        read_events(kGpu + "," + row("fusion", "3", "14", "") + "," +
                        name_row("process_name", "8", "0", name) + "," + row("a", "8", "1", ""),
                    diagnostics);
    EXPECT_EQ(diagnostics.count(Finding::kRowsWithoutCategory), 1U) << name;
    EXPECT_EQ(trace.rows.size(), 1U) << name;
    EXPECT_EQ(trace.ops.size() + trace.calls.size(), 0U) << name;
  }
}

TEST(LaneCategories, ARowOfTorchNpuWithoutItsCallIsLaunchedByTheOpItsFlowNames) {
  const DeviceTrace trace = read_events(
      name_row("process_name", "4198464", "0", "Ascend Hardware") + "," +
      row("Add", "4198464", "2", R"("Stream Id": 2, "connection_id": 7)") + "," +
      R"({"ph": "s", "bp": "e", "name": "torch_to_npu", "id": 1764000000000000000, "pid": 4100,
          "tid": 4100, "ts": "10.000", "cat": "async_npu"},
         {"ph": "f", "bp": "e", "name": "torch_to_npu", "id": 1764000000000000000, "pid": 4198464,
          "tid": 2, "ts": "20.500", "cat": "async_npu"})");
  ASSERT_EQ(trace.rows.size(), 1U);
  EXPECT_EQ(trace.rows.device[0], 0);
  EXPECT_EQ(trace.rows.stream[0], 2);
  ASSERT_EQ(trace.flows.size(), 2U);
  EXPECT_EQ(trace.flows.id[0], trace.flows.id[1]);
  EXPECT_EQ(trace.flows.kind[1], FlowKind::kLaunch);
}

TEST(LaneCategories, WaitsOnAStreamOfTorchNpuAreNoWork) {
  Diagnostics diagnostics;
  const DeviceTrace trace =
      read_events(name_row("process_name", "4198464", "0", "Ascend Hardware") + "," +
                      row("EVENT_WAIT", "4198464", "2", "") + "," + row("Add", "4198464", "2", ""),
                  diagnostics);
  EXPECT_EQ(trace.rows.size(), 1U);
}

}  // namespace
}  // namespace nadi
