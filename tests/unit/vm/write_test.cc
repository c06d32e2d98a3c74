// The traces the virtual machine writes are valid JSON and say what the execution did.
#include "tests/vm/write.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/vm/programs.h"

namespace nadi::vm {
namespace {

using nlohmann::json;

json device_trace(const Program& program, const WriteOptions& options = {}, int rank = 0) {
  return json::parse(write_device_trace(program, execute(program), rank, options));
}
json host_trace(const Program& program, const WriteOptions& options = {}, int rank = 0) {
  return json::parse(write_host_trace(program, execute(program), rank, options));
}

std::vector<json> events_of(const json& trace, const std::string& category) {
  std::vector<json> events;
  for (const json& event : trace["traceEvents"])
    if (event.value("cat", "") == category && event["ph"] == "X") events.push_back(event);
  return events;
}

TEST(Write, StampsAreExactToTheNanosecond) {
  const Program program = straight_line();
  WriteOptions options;
  options.origin_ns = 1711964646123456007;
  const std::string text = write_device_trace(program, execute(program), 0, options);
  EXPECT_NE(text.find("\"ts\": 1711964646123456.007"), std::string::npos);
}

TEST(Write, HostTraceAndKinetoTraceShareRfIdsAndNamesButNotThreadIds) {
  const Program program = forward_backward();
  std::map<std::uint64_t, std::string> names;
  std::set<std::int64_t> logical, os;
  const json host = host_trace(program), device = device_trace(program);
  for (const json& node : host["nodes"])
    for (const json& attr : node["attrs"]) {
      if (attr["name"] == "rf_id" && attr["value"] != 0) names[attr["value"]] = node["name"];
      if (attr["name"] == "tid") logical.insert(attr["value"].get<std::int64_t>());
    }
  std::size_t matched = 0;
  for (const char* category : {"cpu_op", "user_annotation"})
    for (const json& event : events_of(device, category)) {
      EXPECT_EQ(names.at(event["args"]["Record function id"]), event["name"]);
      os.insert(event["tid"].get<std::int64_t>());
      ++matched;
    }
  EXPECT_EQ(matched, names.size());
  EXPECT_EQ(logical, (std::set<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(os, (std::set<std::int64_t>{2910249, 2910249 + 9503}));
}

TEST(Write, ChildrenComeBeforeTheirParentsInTheHostTrace) {
  const json trace = host_trace(nested_parts());
  std::set<std::int64_t> seen;
  for (const json& node : trace["nodes"]) {
    const bool is_root = node["name"].get<std::string>().rfind("[pytorch", 0) == 0;
    if (!is_root && node["ctrl_deps"] != 2) {
      EXPECT_FALSE(seen.count(node["ctrl_deps"].get<std::int64_t>()));
    }
    seen.insert(node["id"].get<std::int64_t>());
  }
  EXPECT_EQ(trace["nodes"].back()["name"], "[pytorch|profiler|execution_trace|process]");
}

TEST(Write, TheFlatSchemaHasTheSameNodes) {
  const Program program = ddp_step(2);
  WriteOptions flat;
  flat.host_schema = HostSchema::kFlat;
  const json old_trace = host_trace(program, flat), new_trace = host_trace(program);
  EXPECT_EQ(old_trace["schema"], "1.0.1");
  ASSERT_EQ(old_trace["nodes"].size(), new_trace["nodes"].size());
  for (std::size_t i = 0; i < old_trace["nodes"].size(); ++i) {
    EXPECT_EQ(old_trace["nodes"][i]["parent"], new_trace["nodes"][i]["ctrl_deps"]);
    EXPECT_EQ(old_trace["nodes"][i]["rf_id"], new_trace["nodes"][i]["attrs"][0]["value"]);
    EXPECT_FALSE(old_trace["nodes"][i].contains("attrs"));
  }
}

TEST(Write, OnlyUnresolvedSyncRowsComeWithTheEventRecords) {
  WriteOptions options;
  options.sync = SyncRows::kEvents;
  options.has_huge_unresolved = true;
  const json trace = device_trace(two_streams_event(), options);
  const json wait = events_of(trace, "cuda_sync").at(0),
             record = events_of(trace, "cuda_event").at(0);
  EXPECT_EQ(wait["args"]["wait_on_stream"], 18446744073709551615ULL);
  EXPECT_EQ(wait["args"]["wait_on_cuda_event_id"], record["args"]["event_id"]);
  EXPECT_LT(record["args"]["correlation"], wait["args"]["correlation"]);
  EXPECT_EQ(record["args"]["stream"], 7);
  EXPECT_TRUE(events_of(device_trace(two_streams_event()), "cuda_event").empty());
}

TEST(Write, WithoutSyncRowsOnlyRuntimeCallsRemain) {
  WriteOptions options;
  options.sync = SyncRows::kNone;
  const json trace = device_trace(host_syncs(), options);
  EXPECT_TRUE(events_of(trace, "cuda_sync").empty());
  EXPECT_TRUE(events_of(trace, "cuda_event").empty());
  for (const json& call : events_of(trace, "cuda_runtime"))
    EXPECT_FALSE(call["args"].contains("stream"));
}

TEST(Write, K26_TracesMayLackRecordsOfEvents) {
  WriteOptions options;
  options.sync = SyncRows::kEvents;
  const auto records = [&] {
    const json trace = device_trace(two_streams_event(), options);
    std::size_t count = events_of(trace, "cuda_event").size();
    for (const json& call : events_of(trace, "cuda_runtime"))
      count += call["name"] == "cudaEventRecord" ? 1 : 0;
    return count;
  };
  EXPECT_EQ(records(), 2U);
  options.has_record_rows = false;
  EXPECT_EQ(records(), 0U);
}

TEST(Write, NewLibkinetoPutsStreamSyncRowsOnAnotherTid) {
  WriteOptions options;
  options.has_sync_tid_offset = true;
  for (const json& sync : events_of(device_trace(host_syncs(), options), "cuda_sync"))
    if (sync["name"] == "Stream Sync") {
      EXPECT_EQ(sync["tid"].get<int>(), sync["args"]["stream"].get<int>() + 1000000);
    }
}

TEST(Write, CommunicationKernelsSayWhatTheyCarryUnlessTheyCarrySeveral) {
  for (const json& kernel : events_of(device_trace(pipeline(), {}, 1), "kernel")) {
    if (kernel["name"].get<std::string>().rfind("nccl", 0) != 0) continue;
    EXPECT_NE(kernel["args"].contains("Src Rank"), kernel["args"].contains("Dst Rank"));
  }
  int carrying = 0;
  for (const json& kernel : events_of(device_trace(coalesced_exchange()), "kernel"))
    carrying += kernel["args"].contains("Collective name") ? 1 : 0;
  EXPECT_EQ(carrying, 0);
}

TEST(Write, FlowsPairForwardAndBackwardOps) {
  const json trace = device_trace(forward_backward());
  std::map<std::int64_t, std::pair<int, int>> ends;
  for (const json& event : trace["traceEvents"]) {
    if (event.value("cat", "") != "fwdbwd") continue;
    auto& [starts, finishes] = ends[event["id"]];
    (event["ph"] == "s" ? starts : finishes) += 1;
  }
  EXPECT_EQ(ends.size(), 3u);
  for (const auto& [id, count] : ends) EXPECT_EQ(count, std::make_pair(1, 1));
}

}  // namespace
}  // namespace nadi::vm
