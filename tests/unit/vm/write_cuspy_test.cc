// What options and losses leave of the new profiler's JSON (N facts of schema/kineto.md); what it
// looks like shows write_every_record_test.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/vm/builder.h"
#include "tests/vm/programs.h"
#include "tests/vm/write.h"

namespace nadi::vm {
namespace {

using nlohmann::json;
using Arrow = std::pair<std::int64_t, std::int64_t>;  // graph node ids

constexpr std::int64_t kFirstDependency = std::int64_t{1} << 40;

WriteOptions cuspy() {
  WriteOptions options;
  options.form = DeviceForm::kCuspy;
  return options;
}

json trace_of(const Program& program, const WriteOptions& options = cuspy()) {
  return json::parse(write_device_trace(program, execute(program), 0, options));
}

std::vector<json> rows_of(const json& trace, const std::string& category) {
  std::vector<json> rows;
  for (const json& event : trace["traceEvents"])
    if (event.value("cat", "") == category && event["ph"] == "X") rows.push_back(event);
  return rows;
}

json events_of(const json& trace) { return trace["traceEvents"]; }

bool is_flow(const json& event) { return event["ph"] == "s" || event["ph"] == "f"; }

bool is_dependency(const json& event) {
  return is_flow(event) && event["id"].get<std::int64_t>() >= kFirstDependency;
}

std::size_t dependency_count(const json& trace) {
  const json& events = trace["traceEvents"];
  return static_cast<std::size_t>(std::count_if(events.begin(), events.end(), is_dependency)) / 2;
}

/// One replay of the graph whose rows these are, some time after a kernel.
Program one_replay(std::vector<Row> rows) {
  ProgramBuilder builder("one_replay");
  ThreadBuilder main = builder.thread(0, "pt_main_thread");
  main.op("aten::zeros", [&] { main.launch(7, "eager", 5_us); });
  main.graph(7, std::move(rows));
  return builder.take();
}

/// Each dependency as the nodes of the rows that its two ends lie on.
std::multiset<Arrow> arrows(const json& trace) {
  std::map<std::pair<int, double>, std::int64_t> node_at_end, node_at_start;
  for (const char* category : {"kernel", "gpu_memcpy", "graph_event_node", "graph_host_node"})
    for (const json& row : rows_of(trace, category)) {
      if (!row["args"].contains("graph node id")) continue;
      const int lane = row["tid"];
      const double start = row["ts"], end = start + row["dur"].get<double>();
      node_at_start[{lane, start}] = node_at_end[{lane, end}] = row["args"]["graph node id"];
    }
  std::map<std::int64_t, Arrow> by_id;
  for (const json& event : trace["traceEvents"]) {
    if (!is_dependency(event)) continue;
    const std::pair<int, double> place{event["tid"], event["ts"]};
    Arrow& arrow = by_id[event["id"]];
    (event["ph"] == "s" ? arrow.first : arrow.second) =
        event["ph"] == "s" ? node_at_end.at(place) : node_at_start.at(place);
  }
  std::multiset<Arrow> all;
  for (const auto& [id, arrow] : by_id) all.insert(arrow);
  return all;
}

TEST(WriteCuspy, N19_CallsOfOtherThreadsMayStandOnWrongTids) {
  WriteOptions options = cuspy();
  const auto tids = [&](const std::string& category) {
    std::set<std::int64_t> found;
    for (const json& row : rows_of(trace_of(forward_backward(), options), category))
      found.insert(row["tid"].get<std::int64_t>());
    return found;
  };
  EXPECT_EQ(tids("cuda_runtime"), tids("cpu_op"));
  options.has_wrong_threads = true;
  const std::set<std::int64_t> wrong = tids("cuda_runtime"), known = tids("cpu_op");
  EXPECT_TRUE(std::any_of(wrong.begin(), wrong.end(),
                          [&](std::int64_t tid) { return !known.contains(tid) && tid > 0; }));
}

TEST(WriteCuspy, N21_OnlyRootsOfAGraphWithRecordedEdgesHaveALaunchFlow) {
  const Program program =
      one_replay({graph_kernel("root", 7, 5_us, {}), graph_kernel("next", 7, 6_us, {0}),
                  graph_kernel("other_root", 32, 9_us, {})});
  WriteOptions options = cuspy();
  const auto finishes = [&] {
    std::size_t count = 0;
    for (const json& event : events_of(trace_of(program, options)))
      count += event["ph"] == "f" && !is_dependency(event) ? 1U : 0U;
    return count;
  };
  EXPECT_EQ(finishes(), 3U);  // that of the eager kernel is one
  options.has_graph_edges = false;
  EXPECT_EQ(finishes(), 4U);
}

TEST(WriteCuspy, N24_EventNodesMayBeOffOrUnnamed) {
  WriteOptions options = cuspy();
  const auto events = [&] {
    return rows_of(trace_of(graph_host_node(), options), "graph_event_node");
  };
  options.has_graph_edges = false;
  ASSERT_EQ(events().size(), 13U);
  EXPECT_FALSE(events()[0]["args"].contains("cuda event"));
  options.has_event_nodes = false;
  EXPECT_EQ(events().size(), 0U);
}

TEST(WriteCuspy, N27_HasNoRowsOfRecords) {
  WriteOptions events = cuspy();
  events.sync = SyncRows::kEvents;
  EXPECT_TRUE(rows_of(trace_of(two_streams_event(), events), "cuda_event").empty());
}

TEST(WriteCuspy, N27_ARecordOutsideOfTheWindowIsUnknown) {
  const Program program = two_streams_event();
  Execution run = execute(program);
  for (std::size_t i = 0; i < run.ranks[0].calls.size(); ++i)
    if (program.ranks[0].calls[i].kind == CallKind::kEventRecord)
      run.ranks[0].calls[i].is_sync_recorded = false;
  const json trace = json::parse(write_device_trace(program, run, 0, cuspy()));
  EXPECT_EQ(rows_of(trace, "cuda_sync").at(0)["args"]["wait_on_cuda_event_record_corr_id"], -1);
}

TEST(WriteCuspy, N4_AGraphFromBeforeTheProfilerHasNoEdges) {
  Program program = one_replay({graph_kernel("a", 7, 5_us, {}), graph_kernel("b", 7, 7_us, {0})});
  EXPECT_EQ(dependency_count(trace_of(program)), 1U);
  for (Call& call : program.ranks[0].calls) call.has_known_edges = false;
  EXPECT_EQ(dependency_count(trace_of(program)), 0U);
}

/// a, then b, then c; some of the rows are lost in the first replay of two, or in both.
std::multiset<Arrow> arrows_without(int lost_node, bool is_lost_everywhere) {
  ProgramBuilder builder("lost");
  ThreadBuilder main = builder.thread(0, "pt_main_thread");
  const int graph = main.graph(7, {graph_kernel("a", 7, 5_us, {}), graph_kernel("b", 32, 7_us, {0}),
                                   graph_kernel("c", 36, 6_us, {1})});
  main.replay(graph, [](std::size_t, Ns duration) { return duration + 101; });
  const Program program = builder.take();
  Execution run = execute(program);
  for (RowRun& row : run.ranks[0].rows)
    if (row.ordinal == lost_node && (row.call == graph || is_lost_everywhere))
      row.is_recorded = false;
  return arrows(json::parse(write_device_trace(program, run, 0, cuspy())));
}

TEST(WriteCuspy, N33_AnEdgeIsLostWithItsEndAndOnlyANodeWithoutAnyRowIsSteppedOver) {
  EXPECT_EQ(arrows_without(1, false), (std::multiset<Arrow>{{0, 1}, {1, 2}}));
  EXPECT_EQ(arrows_without(1, true), (std::multiset<Arrow>{{0, 2}, {0, 2}}));
}

TEST(WriteCuspy, N33_EdgesLeadThroughEventNodesThatHaveNoRows) {
  Row event = graph_kernel("EventRecord", 36, 0, {0});
  event.kind = EventCategory::kEventRecord;
  const Program program =
      one_replay({graph_kernel("a", 7, 5_us, {}), event, graph_kernel("b", 32, 7_us, {1})});
  EXPECT_EQ(arrows(trace_of(program)), (std::multiset<Arrow>{{0, 1}, {1, 2}}));
  WriteOptions options = cuspy();
  options.has_event_nodes = false;
  EXPECT_EQ(arrows(trace_of(program, options)), (std::multiset<Arrow>{{0, 2}}));
}

TEST(WriteCuspy, N43_HostNodesOfQueuedReplaysMayLoseCorrelationAndEdges) {
  WriteOptions options = cuspy();
  const std::size_t whole = dependency_count(trace_of(graph_host_node(), options));
  options.has_host_correlations = false;
  const json trace = trace_of(graph_host_node(), options);
  std::size_t lost = 0;
  for (const json& host : rows_of(trace, "graph_host_node"))
    lost += host["args"]["correlation"] == 0 ? 1U : 0U;
  EXPECT_GT(lost, 0U);
  EXPECT_LT(lost, 13U);
  EXPECT_EQ(dependency_count(trace), whole - 2 * lost);
}

}  // namespace
}  // namespace nadi::vm
