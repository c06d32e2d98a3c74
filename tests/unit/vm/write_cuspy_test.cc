// The new profiler's JSON is written as the facts of schema/kineto.md (N4-N43) say.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/vm/builder.h"
#include "tests/vm/programs.h"
#include "tests/vm/spoil.h"
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

TEST(WriteCuspy, N8_IsOneLineWithoutSpacesOutsideOfTexts) {
  const std::string text =
      write_device_trace(straight_line(), execute(straight_line()), 0, cuspy());
  EXPECT_EQ(text.find('\n'), text.npos);
  EXPECT_EQ(text.find("\": "), text.npos);
  EXPECT_EQ(text.find(", \""), text.npos);
}

TEST(WriteCuspy, N11_KeepsTheOrderOfTheProfiler) {
  WriteOptions options = cuspy();
  options.sync = SyncRows::kFull;
  std::vector<std::string> order;
  for (const json& event : events_of(trace_of(graph_host_node(), options))) {
    std::string kind = event["ph"] == "X" ? event["cat"] : event["ph"];
    if (is_flow(event)) kind += event["id"] >= kFirstDependency ? " dependency" : " launch";
    if (order.empty() || order.back() != kind) order.push_back(kind);
  }
  const auto first = [&](const std::string& kind) {
    return std::find(order.begin(), order.end(), kind) - order.begin();
  };
  const std::vector<std::string> kinds{"M",
                                       "user_annotation",
                                       "kernel",
                                       "f launch",
                                       "gpu_memcpy",
                                       "gpu_memset",
                                       "graph_event_node",
                                       "graph_host_node",
                                       "s dependency",
                                       "cuda_runtime",
                                       "s launch",
                                       "overhead",
                                       "cuda_sync",
                                       "gpu_user_annotation",
                                       "C",
                                       "Trace",
                                       "i"};
  for (std::size_t i = 0; i + 1 < kinds.size(); ++i)
    EXPECT_LT(first(kinds[i]), first(kinds[i + 1])) << kinds[i] << " before " << kinds[i + 1];
  EXPECT_EQ(order.back(), "i");
}

TEST(WriteCuspy, N12_StampsAreDoublesThatRoundToTheNanosecond) {
  WriteOptions options = cuspy();
  options.origin_ns = 4458676416431397;
  for (const json& kernel : rows_of(trace_of(straight_line(), options), "kernel"))
    EXPECT_TRUE(kernel["ts"].is_number_float());
  const std::string text =
      write_device_trace(straight_line(), execute(straight_line()), 0, options);
  EXPECT_NE(text.find("\"ts\":4458676416431.397"), text.npos);
}

TEST(WriteCuspy, N14_N18_KernelsHaveAChannelTypeAndNeitherExternalIdNorOccupancy) {
  const json args = rows_of(trace_of(straight_line()), "kernel").at(0)["args"];
  std::set<std::string> keys;
  for (const auto& [key, value] : args.items()) keys.insert(key);
  EXPECT_EQ(keys, (std::set<std::string>{"device", "context", "stream", "correlation", "grid",
                                         "block", "registers per thread", "shared memory",
                                         "priority", "queued", "channel", "channel_type"}));
  EXPECT_GT(args["queued"], 1711964646000000000);  // epoch time
}

TEST(WriteCuspy, N8_N18_CallsHaveTheirCallbackAndCorrelationAlone) {
  for (const json& call : rows_of(trace_of(forward_backward()), "cuda_runtime")) {
    EXPECT_EQ(call["args"].size(), 2U);
    EXPECT_TRUE(call["args"].contains("cbid") && call["args"].contains("correlation"));
  }
}

TEST(WriteCuspy, N15_CopiesTellTheirDirectionInArguments) {
  const json copy = rows_of(trace_of(blocking_copy()), "gpu_memcpy").at(0);
  EXPECT_EQ(copy["name"], "Memcpy");
  EXPECT_EQ(copy["args"]["copy kind"], "HtoD");
  EXPECT_EQ(copy["args"]["src kind"], "pageable");
  EXPECT_EQ(copy["args"]["dst kind"], "device");
  const json set = rows_of(trace_of(nested_parts()), "gpu_memset").at(0);
  EXPECT_EQ(set["name"], "Memset");
  EXPECT_EQ(set["args"]["bytes"], 4096);
  EXPECT_TRUE(set["args"]["memory kind"].is_number());
}

TEST(WriteCuspy, N16_NodeIdsAreTheLowerHalfAndEagerRowsHaveNone) {
  std::map<int, std::set<int>> nodes;
  for (const json& kernel : rows_of(trace_of(graph_launch()), "kernel")) {
    EXPECT_EQ(kernel["args"].contains("graph id"), kernel["args"].contains("graph node id"));
    if (kernel["args"].contains("graph id"))
      nodes[kernel["args"]["graph id"]].insert(kernel["args"]["graph node id"].get<int>());
  }
  EXPECT_EQ(nodes, (std::map<int, std::set<int>>{{3, {0, 1, 2, 3, 4}}, {4, {0, 1, 2, 3}}}));
}

TEST(WriteCuspy, N16_ReplaysHaveTheGraphAndNodesInCommonAndNoCorrelation) {
  std::map<int, std::set<std::int64_t>> correlations_of_node;
  std::set<int> graphs;
  for (const json& kernel : rows_of(trace_of(graph_side_by_side()), "kernel")) {
    if (!kernel["args"].contains("graph id")) continue;
    graphs.insert(kernel["args"]["graph id"].get<int>());
    correlations_of_node[kernel["args"]["graph node id"]].insert(
        kernel["args"]["correlation"].get<std::int64_t>());
  }
  EXPECT_EQ(graphs.size(), 1U);
  for (const auto& [node, correlations] : correlations_of_node)
    EXPECT_EQ(correlations.size(), 13U) << node;
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

TEST(WriteCuspy, N21_SynchronisationsStartFlowsThatNobodyEnds) {
  std::map<std::int64_t, int> ends;
  const json trace = trace_of(two_streams_event());
  for (const json& event : trace["traceEvents"])
    if (is_flow(event)) ends[event["id"]] += event["ph"] == "s" ? 1 : 10;
  for (const json& call : rows_of(trace, "cuda_runtime"))
    if (call["name"] == "cudaStreamWaitEvent") {
      EXPECT_EQ(ends.at(call["args"]["correlation"]), 1);
    }
}

TEST(WriteCuspy, N22_ADependencyLeadsFromTheEndOfOneRowToTheStartOfTheNext) {
  const json trace =
      trace_of(one_replay({graph_kernel("a", 7, 5_us, {}), graph_kernel("b", 32, 7_us, {0}),
                           graph_kernel("c", 36, 6_us, {0}), graph_kernel("d", 7, 4_us, {1, 2})}));
  EXPECT_EQ(arrows(trace), (std::multiset<Arrow>{{0, 1}, {0, 2}, {1, 3}, {2, 3}}));
}

TEST(WriteCuspy, N23_TwoRowsThatEndTogetherGiveEqualArrows) {
  const json trace = trace_of(graph_equal_arrows());
  std::multiset<std::tuple<int, double, double>>
      seen;  // lane and end of the source, target's start
  std::map<std::int64_t, std::pair<json, json>> by_id;
  for (const json& event : trace["traceEvents"])
    if (is_dependency(event))
      (event["ph"] == "s" ? by_id[event["id"]].first : by_id[event["id"]].second) = event;
  for (const auto& [id, ends] : by_id)
    seen.emplace(ends.first["tid"], ends.first["ts"], ends.second["ts"]);
  const std::set<std::tuple<int, double, double>> distinct(seen.begin(), seen.end());
  EXPECT_LE(distinct.size() + 13, seen.size());  // a pair of twins in each of 13 replays
}

TEST(WriteCuspy, N24_EventNodesStandAtTheStampOfTheDeviceAndMayBeOff) {
  WriteOptions options = cuspy();
  const auto events = [&] {
    return rows_of(trace_of(graph_host_node(), options), "graph_event_node");
  };
  ASSERT_EQ(events().size(), 13U);
  EXPECT_EQ(events()[0]["name"], "EventRecord");
  EXPECT_EQ(events()[0]["dur"], 0);
  EXPECT_EQ(events()[0]["args"]["cuda event"].get<std::string>().substr(0, 2), "0x");
  options.has_graph_edges = false;
  EXPECT_FALSE(events()[0]["args"].contains("cuda event"));
  options.has_event_nodes = false;
  EXPECT_EQ(events().size(), 0U);
}

TEST(WriteCuspy, N25_HostNodesNameTheirFunctionAndThread) {
  const json host = rows_of(trace_of(graph_host_node()), "graph_host_node").at(0);
  EXPECT_EQ(host["name"], "HostNode: fill_batch");
  EXPECT_EQ(host["args"]["host fn"], "fill_batch");
  EXPECT_TRUE(host["args"].contains("host process") && host["args"].contains("host thread"));
}

TEST(WriteCuspy, N26_N27_SyncRowsTellTheRecordAndNeverItsStream) {
  const json trace = trace_of(two_streams_event());
  const json wait = rows_of(trace, "cuda_sync").at(0);
  std::int64_t record = 0;
  for (const json& call : rows_of(trace, "cuda_runtime"))
    if (call["name"] == "cudaEventRecord") record = call["args"]["correlation"];
  EXPECT_EQ(wait["args"]["wait_on_cuda_event_record_corr_id"], record);
  EXPECT_EQ(wait["args"]["wait_on_stream"], -1);
  WriteOptions events = cuspy();
  events.sync = SyncRows::kEvents;
  EXPECT_TRUE(rows_of(trace_of(two_streams_event(), events), "cuda_event").empty());
  for (const json& sync : rows_of(trace_of(host_syncs()), "cuda_sync"))
    if (sync["args"]["stream"] == -1) {
      EXPECT_EQ(sync["tid"], 1);
    }
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

TEST(WriteCuspy, N30_AnnotationsOfTheDeviceLastANanosecondLongerAtBothEndsAndCountTheirOwnIds) {
  const json trace = trace_of(calls_outside_ops());
  double first = 1e300, last = 0;
  for (const json& kernel : rows_of(trace, "kernel"))
    if (kernel["name"] == "in_annotation" || kernel["name"] == "in_op") {
      first = std::min(first, kernel["ts"].get<double>());
      last = std::max(last, kernel["ts"].get<double>() + kernel["dur"].get<double>());
    }
  const json step = rows_of(trace, "gpu_user_annotation").at(0);
  EXPECT_EQ(step["args"]["External id"], 1);
  EXPECT_NEAR(first - step["ts"].get<double>(), 0.001, 0.0006);
}

TEST(WriteCuspy, N31_CountersHaveOneEmptyKeyAndATextForTheirProcess) {
  std::size_t counters = 0;
  for (const json& event : events_of(trace_of(straight_line()))) {
    if (event["ph"] != "C") continue;
    ++counters;
    EXPECT_EQ(event["pid"], "GPU 0 Counters");
    EXPECT_TRUE(event["args"][""].is_number());
  }
  EXPECT_GT(counters, 0U);
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

TEST(WriteCuspy, N34_AProgrammaticLaunchStartsBeforeWhatItFollowsEnds) {
  Row next = graph_kernel("next", 7, 6_us, {0});
  next.early = 2_us;
  const json trace = trace_of(one_replay({graph_kernel("first", 7, 5_us, {}), next}));
  double end = 0, start = 0;
  for (const json& event : trace["traceEvents"])
    if (is_dependency(event)) (event["ph"] == "s" ? end : start) = event["ts"];
  EXPECT_NEAR(end - start, 2.0, 0.001);
}

TEST(WriteCuspy, N35_RowsOfAChildGraphHaveHighNodeIdsAndNoEdges) {
  Row body = graph_kernel("body", 7, 6_us, {0});
  body.is_in_child = true;
  const json trace = trace_of(
      one_replay({graph_kernel("first", 7, 5_us, {}), body, graph_kernel("behind", 7, 4_us, {1})}));
  EXPECT_EQ(dependency_count(trace), 1U);  // steps over the child
  std::map<std::string, int> nodes;
  for (const json& kernel : rows_of(trace, "kernel"))
    if (kernel["args"].contains("graph node id"))
      nodes[kernel["name"]] = kernel["args"]["graph node id"];
  EXPECT_EQ(nodes, (std::map<std::string, int>{{"first", 0}, {"behind", 1}, {"body", 2}}));
}

TEST(WriteCuspy, N36_OfANodeThatRunsSeveralTimesOnlyTheLastRowHasEdges) {
  Row again = graph_kernel("again", 32, 6_us, {1});
  again.same_node = 1;
  const json trace =
      trace_of(one_replay({graph_kernel("first", 7, 5_us, {}), graph_kernel("body", 36, 6_us, {0}),
                           again, graph_kernel("behind", 7, 4_us, {2})}));
  std::map<std::string, int> nodes;
  std::set<double> starts_of_last;
  for (const json& kernel : rows_of(trace, "kernel")) {
    if (!kernel["args"].contains("graph node id")) continue;
    nodes[kernel["name"]] = kernel["args"]["graph node id"];
    if (kernel["name"] != "body") starts_of_last.insert(kernel["ts"].get<double>());
  }
  EXPECT_EQ(nodes,
            (std::map<std::string, int>{{"first", 0}, {"body", 1}, {"again", 1}, {"behind", 2}}));
  EXPECT_EQ(dependency_count(trace), 2U);
  for (const json& event : events_of(trace))
    if (is_dependency(event) && event["ph"] == "f") {
      EXPECT_TRUE(starts_of_last.contains(event["ts"].get<double>()));
    }
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

TEST(WriteCuspy, EveryProgramGivesAllItsRows) {
  std::vector<std::string> names = program_names();
  const std::vector<std::string> more = graph_program_names();
  names.insert(names.end(), more.begin(), more.end());
  for (int seed = 1; seed <= 5; ++seed) names.push_back("graphs:" + std::to_string(seed));
  for (const std::string& name : names) {
    const Program program = make_program(name);
    const json trace = trace_of(program);
    std::size_t rows = 0;
    for (const char* category :
         {"kernel", "gpu_memcpy", "gpu_memset", "graph_event_node", "graph_host_node"})
      rows += rows_of(trace, category).size();
    EXPECT_EQ(rows, execute(program).ranks[0].rows.size()) << name;
  }
}

}  // namespace
}  // namespace nadi::vm
