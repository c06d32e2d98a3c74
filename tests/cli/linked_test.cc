// `nadi convert --linked`: graphs of linked JSONs, nadi's own and MLCommons'.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/cli/sample_traces.h"
#include "tests/cli/tool.h"

namespace nadi {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

Json report_of(const std::string& arguments, const fs::path& in) {
  const Outcome outcome = run_tool("-q " + arguments + " --report -", in);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return outcome.exit_code == 0 ? Json::parse(outcome.out) : Json();
}

std::vector<std::string> lane_names(const Json& report) {
  std::vector<std::string> names;
  for (const Json& lane : report["lanes"]) names.push_back(lane["name"]);
  return names;
}

/// All that a graph holds, as JSON.
std::string shown(const fs::path& graph) {
  const Outcome outcome = run_tool("show " + graph.string());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return outcome.out;
}

/// Links the pair, converts both ways, and compares what the graphs hold. The replay may be wrong
/// by so many percent.
void expect_same_graph(const std::string& pair, const fs::path& in, double most_error = 0.5) {
  ASSERT_EQ(run_tool("-q link " + pair + " --output linked.json", in).exit_code, 0);
  const Json direct = report_of("convert --delays all --output direct " + pair, in);
  const Json linked =
      report_of("convert --delays all --output-file linked.et --linked linked.json", in);
  for (const char* key : {"rank", "host_ops", "matched_host_ops", "device_rows",
                          "linked_device_rows", "device_rows_by_kind", "collectives"})
    EXPECT_EQ(linked[key], direct[key]) << key;
  EXPECT_EQ(linked["span_ns"], direct["span_ns"]);
  EXPECT_EQ(linked["nodes_by_kind"]["device row"], direct["nodes_by_kind"]["device row"]);
  for (const char* evidence :
       {"launch", "stream order", "event wait", "synchronisation", "thread hand-off"})
    EXPECT_EQ(linked["edges"].value(evidence, 0), direct["edges"].value(evidence, 0)) << evidence;
  EXPECT_EQ(linked["inferred_edges"], direct["inferred_edges"]);
  EXPECT_EQ(linked["nodes_by_kind"], direct["nodes_by_kind"]);
  EXPECT_EQ(lane_names(linked), lane_names(direct));
  const fs::path of_rank = in / ("direct." + direct["rank"].dump() + ".et");
  EXPECT_TRUE(read_file(in / "linked.et") == read_file(of_rank)) << "to the byte";
  const Outcome check = run_tool("check linked.et", in);
  EXPECT_EQ(check.exit_code, 0) << check.out << check.err;
  const Json replayed = report_of("replay linked.et", in);
  EXPECT_LT(std::abs(replayed["error_percent"].get<double>()), most_error);
}

TEST(ConvertLinked, GivesTheGraphOfTheTracesOfADataParallelJob) {
  const TemporaryFolder folder;
  const std::string data = std::string(NADI_TEST_DATA) + "/ddp-2rank/";
  for (const char* rank : {"0", "1"})
    expect_same_graph("--host " + data + "host." + rank + ".json.gz --device " + data + "device." +
                          rank + ".json.gz",
                      folder.path());
}

TEST(ConvertLinked, GivesTheGraphOfTheTracesOfManySteps) {
  const TemporaryFolder folder;
  const std::string data = std::string(NADI_TEST_DATA) + "/multi-step/";
  expect_same_graph("--host " + data + "host.0.json.gz --device " + data + "device.0.json.gz",
                    folder.path());
}

TEST(ConvertLinked, GivesTheGraphOfARecordingWithCallsOutsideOps) {
  const TemporaryFolder folder;
  expect_same_graph(
      "--device " + std::string(NADI_TEST_DATA) + "/../recordings/h200/hybrid_fsdp2.device.json.gz",
      folder.path());
  const Outcome outcome =
      run_tool("convert --linked linked.json --output-file x.et", folder.path());
  EXPECT_EQ(outcome.err.find("sync-unresolved"), std::string::npos) << outcome.err;
}

TEST(ConvertLinked, OfADeviceTraceAloneIsNotMatched) {
  const TemporaryFolder folder;
  const std::string device =
      "--device " + std::string(NADI_TEST_DATA) + "/ddp-2rank/device.0.json.gz";
  expect_same_graph(device, folder.path());
  const Outcome outcome =
      run_tool("convert --linked linked.json --output-file x.et", folder.path());
  EXPECT_NE(outcome.out.find("no host trace"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.err.find("unknown-schema"), std::string::npos) << outcome.err;
}

TEST(ConvertLinked, GivesTheGraphOfRealTraces) {
  const std::string data = std::string(NADI_SHARED_TRACES) + "/resnet-2gpu/";
  if (!fs::exists(data)) GTEST_SKIP() << "no real traces beside this repository: " << data;
  const TemporaryFolder folder;
  expect_same_graph("--host " + data + "host.json.gz --device " + data + "device.json.gz",
                    folder.path());
  const Json report = report_of("convert --output-file x.et --linked linked.json", folder.path());
  EXPECT_EQ(report["device_rows"], 3774);
  EXPECT_EQ(report["linked_device_rows"], 3774);
  EXPECT_EQ(report["matched_host_ops"], 14388);
}

TEST(ConvertLinked, GivesTheGraphOfRealTracesWithUntimedOps) {
  const std::string data = NADI_SHARED_TRACES;
  if (!fs::exists(data)) GTEST_SKIP() << "no real traces beside this repository: " << data;
  const TemporaryFolder folder;
  expect_same_graph("--host " + data + "/resnet-other-steps/host.json.gz --device " + data +
                        "/resnet-2gpu/device.json.gz",
                    folder.path());
}

TEST(ConvertLinked, GivesTheGraphOfARealTraceWhoseRowsStartTogether) {
  const std::string trace = std::string(NADI_SHARED_TRACES) + "/trace-diff/test.json.gz";
  if (!fs::exists(trace)) GTEST_SKIP() << "no real traces beside this repository: " << trace;
  const TemporaryFolder folder;
  expect_same_graph("--device " + trace, folder.path());
}

TEST(ConvertLinked, GivesTheGraphOfWaitsThatWholeMicrosecondsContradict) {
  const TemporaryFolder folder;
  const std::string golden = std::string(NADI_SOURCE_DIR) + "/tests/golden/";
  constexpr double kThreeOf90Microseconds = 3.4;
  expect_same_graph("--device " + golden + "whole-microseconds-keep-recorded-waits/device.json",
                    folder.path(), kThreeOf90Microseconds);
}

/// Calls of an op that names them, then a launch and a synchronisation that begin with an op and
/// are none of its calls.
std::string calls_that_begin_with_ops() {
  std::string events;
  const auto add = [&](const char* cat, const char* name, int tid, int ts, int dur,
                       const std::string& args) {
    events += (events.empty() ? "" : ",\n") + std::string(R"({"ph": "X", "cat": ")") + cat +
              R"(", "name": ")" + name + R"(", "pid": 1, "tid": )" + std::to_string(tid) +
              R"(, "ts": )" + std::to_string(ts) + R"(, "dur": )" + std::to_string(dur) +
              R"(, "args": {)" + args + "}}";
  };
  const auto id = [](int op) { return R"("External id": )" + std::to_string(op); };
  const auto correlation = [](int number) {
    return R"("device": 0, "stream": 7, "correlation": )" + std::to_string(number);
  };
  for (int i = 1; i <= 20; ++i) {
    add("cpu_op", "mm", 100, 50 * i, 20, id(i));
    add("cuda_runtime", "cudaLaunchKernel", 100, 50 * i + 4, 2, id(i) + ", " + correlation(i));
    add("kernel", "gemm", 7, 50 * i + 10, 5, correlation(i));
  }
  add("cpu_op", "next", 100, 2000, 20, id(21));
  add("cuda_runtime", "cudaLaunchKernel", 100, 2000, 1, correlation(21));
  add("kernel", "gemm", 7, 2006, 20, correlation(21));
  add("cpu_op", "waiting", 100, 2040, 100, id(22));
  add("cpu_op", "last", 100, 2050, 10, id(23));
  add("cuda_runtime", "cudaDeviceSynchronize", 100, 2050, 0, id(22) + ", " + correlation(22));
  return "{\"traceEvents\": [" + events + "]}";
}

TEST(ConvertLinked, GivesTheGraphOfCallsThatBeginWithAnOp) {
  const TemporaryFolder folder;
  folder.write("device.json", calls_that_begin_with_ops());
  expect_same_graph("--device device.json", folder.path());
}

/// Graphs that held made-up correlations or threads once they had been a linked JSON.
TEST(ConvertLinked, MakesUpNeitherCorrelationsNorThreads) {
  for (const char* name :
       {"c08-repeated-correlation", "k28-event-synchronisation-that-returns-late",
        "n35-child-graph-host-node-and-event-node", "wait-between-rows-that-start-together"}) {
    SCOPED_TRACE(name);
    const TemporaryFolder folder;
    const fs::path golden = fs::path(NADI_SOURCE_DIR) / "tests/golden" / name;
    expect_same_graph("--device " + (golden / "device.json").string(), folder.path(), 5);
  }
}

/// An op that launched two kernels, of which flows tell, but no correlation does.
constexpr const char* kWithoutCorrelation = R"({"schemaVersion": 1, "traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 0, "dur": 20, "args": {"External id": 1, "Record function id": 1}},
{"ph": "s", "id": 3, "pid": 1, "tid": 1, "ts": 4, "cat": "ac2g", "name": "ac2g"},
{"ph": "f", "id": 3, "pid": 0, "tid": 7, "ts": 10, "cat": "ac2g", "name": "ac2g", "bp": "e"},
{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 10, "dur": 5, "args": {"device": 0, "stream": 7}},
{"ph": "s", "id": 5, "pid": 1, "tid": 1, "ts": 12, "cat": "ac2g", "name": "ac2g"},
{"ph": "f", "id": 5, "pid": 0, "tid": 7, "ts": 18, "cat": "ac2g", "name": "ac2g", "bp": "e"},
{"ph": "X", "cat": "kernel", "name": "copy", "pid": 0, "tid": 7, "ts": 18, "dur": 5, "args": {"device": 0, "stream": 7}}
]})";

TEST(ConvertLinked, GivesTheGraphOfRowsWithoutCorrelation) {
  const TemporaryFolder folder;
  folder.write("device.json", kWithoutCorrelation);
  expect_same_graph("--device device.json", folder.path());
  const Json graph = Json::parse(shown(folder.path() / "linked.et"));
  int rows = 0;
  for (const Json& node : graph["nodes"])
    for (const Json& attribute : node["attr"])
      if (attribute["name"] == "correlation") rows += attribute["int64Val"] == "-1" ? 1 : 100;
  EXPECT_EQ(rows, 2);
}

/// Name, type and what is told of it, of each node that communicates.
std::string communications_of(const fs::path& graph) {
  std::string text;
  const Json document = Json::parse(shown(graph));
  for (const Json& node : document["nodes"]) {
    std::string facts;
    for (const Json& attribute : node["attr"]) {
      const std::string name = attribute["name"];
      if (name.starts_with("comm_") || name == "pg_name") facts += " " + attribute.dump();
    }
    if (facts.find("comm_size") != std::string::npos)
      text += node["name"].dump() + " " + node["type"].dump() + facts + "\n";
  }
  return text;
}

TEST(ConvertLinked, KeepsWhatWasRecordedOfEveryCommunicationAndLaunch) {
  int graphs_with_communications = 0;
  for (const char* name :
       {"c05-send-and-receive-have-peers-and-tags", "c05-peer-within-its-group",
        "c07-recorded-message-sizes-come-first", "c07-tensors-where-no-size-is-recorded",
        "c08-repeated-correlation", "c15-all-to-all-as-send-and-receive", "c15-rccl-generic-kernel",
        "h07-coalesced-kernel-carries-several", "k22-a-collective-keeps-its-measured-length",
        "unlaunched-rows"}) {
    const TemporaryFolder folder;
    const fs::path golden = fs::path(NADI_SOURCE_DIR) / "tests/golden" / name;
    const std::string host =
        fs::exists(golden / "host.json") ? "--host " + (golden / "host.json").string() + " " : "";
    const std::string pair = host + "--device " + (golden / "device.json").string();
    ASSERT_EQ(run_tool("-q link " + pair + " --output l.json", folder.path()).exit_code, 0) << name;
    const Json direct = report_of("convert --output-file d.et " + pair, folder.path());
    const Json linked = report_of("convert --output-file l.et --linked l.json", folder.path());
    const std::string communications = communications_of(folder.path() / "d.et");
    EXPECT_EQ(communications_of(folder.path() / "l.et"), communications) << name;
    graphs_with_communications += communications.empty() ? 0 : 1;
    for (const char* key : {"collectives", "device_rows", "linked_device_rows", "nodes_by_kind"})
      EXPECT_EQ(linked[key], direct[key]) << name << " " << key;
    for (const char* evidence : {"launch", "stream order", "graph order"})
      EXPECT_EQ(linked["edges"].value(evidence, 0), direct["edges"].value(evidence, 0))
          << name << " " << evidence;
  }
  EXPECT_EQ(graphs_with_communications, 8);  // all but the two of launches
}

std::string node(int id, const std::string& name, int caller, const std::string& more,
                 int tid = 1) {
  const std::string io = R"({"values": [], "shapes": [], "types": []})";
  return "{\"id\": " + std::to_string(id) + ", \"name\": \"" + name +
         "\", \"ctrl_deps\": " + std::to_string(caller) + ", \"inputs\": " + io +
         ", \"outputs\": " + io + R"(, "attrs": [{"name": "tid", "type": "uint64", "value": )" +
         std::to_string(tid) + "}]" + more + "}";
}
std::string times(double ts, double dur, const std::string& more = "") {
  return ", \"inclusive_dur\": " + std::to_string(dur) +
         ", \"exclusive_dur\": 0, \"ts\": " + std::to_string(ts) + more;
}
std::string row(double ts, double dur, int stream, const std::string& more = "") {
  return times(ts, dur,
               R"(, "cat": "kernel", "ph": "X", "stream": )" + std::to_string(stream) + more);
}

// Thread 1: mm [10, 20) launches gemm on stream 7, copy [20, 30) launches memcpy on stream 9, which
// waits for gemm; item [60, 70) waits for memcpy. Thread 2: backward [75, 80) waits for item. Waits
// name the ops that launched the rows, and stand on the copies of the waiting op, too. The caller
// of all is the process root, which MLCommons' linker leaves out (C14).
std::string mlcommons_json() {
  return R"({"schema": "1.0.2-chakra.0.0.4", "pid": 7, "time": "now", "start_ts": 1, "nodes": [)" +
         node(3, "mm", 1, times(10, 10)) + "," + node(4, "gemm", 3, row(25, 10, 7)) + "," +
         node(5, "copy", 1, times(20, 10, ", \"inter_thread_dep\": null, \"sync_dep\": [3]")) +
         "," + node(6, "memcpy", 5, row(29, 10, 9, ", \"sync_dep\": [3]")) + "," +
         node(7, "item", 1, times(60, 10, ", \"sync_dep\": [5, 3, 77]")) + "," +
         node(8, "late", 1, times(71, 1, ", \"sync_dep\": [9]")) + "," +
         node(9, "backward", 1, times(75, 5, ", \"inter_thread_dep\": 7"), 2) + "," +
         node(10, "last", 9, row(78, 20, 7), 2) + R"(], "finish_ts": 9})";
}

/// "gemm <- mm" for every data dependency of the graph.
std::set<std::string> data_edges(const fs::path& graph) {
  const Outcome shown = run_tool("show " + graph.string());
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  const Json document = Json::parse(shown.out);
  std::map<std::string, std::string> names;
  for (const Json& n : document["nodes"]) names[n["id"]] = n["name"];
  std::set<std::string> edges;
  for (const Json& n : document["nodes"])
    if (n.contains("dataDeps"))
      for (const std::string source : n["dataDeps"])
        edges.insert(n["name"].get<std::string>() + " <- " + names[source]);
  return edges;
}

TEST(ConvertLinked, AFileOfMlCommonsBecomesAGraphWithWaitsAndHandOffs) {
  const TemporaryFolder folder;
  folder.write("plus.json", mlcommons_json());
  const Outcome converted =
      run_tool("convert --linked plus.json --output-file graph.et", folder.path());
  ASSERT_EQ(converted.exit_code, 0) << converted.err;
  EXPECT_EQ(folder.listing(), "graph.et plus.json");
  const std::set<std::string> edges = data_edges(folder.path() / "graph.et");
  for (const char* edge : {"gemm <- mm", "memcpy <- copy", "memcpy <- gemm", "item <- memcpy",
                           "backward <- item", "last <- backward", "last <- gemm", "copy <- mm"})
    EXPECT_TRUE(edges.contains(edge)) << edge;
  EXPECT_FALSE(edges.contains("late <- last")) << "a dependency that goes backward";
  EXPECT_EQ(run_tool("check graph.et", folder.path()).exit_code, 0);
}

TEST(ConvertLinked, WhatTheFileTellsWronglyIsCounted) {
  const TemporaryFolder folder;
  folder.write("plus.json", mlcommons_json());
  const Json report = report_of("convert --linked plus.json --output out", folder.path());
  std::map<std::string, int> found;
  for (const Json& finding : report["diagnostics"]) found[finding["kind"]] = finding["count"];
  EXPECT_EQ(found["recorded-wait-unresolved"], 1);  // item waits for 77
  EXPECT_EQ(found["backward-edge"], 1);             // late waits for last
  EXPECT_EQ(report["matched_host_ops"], 5);
  EXPECT_EQ(report["linked_device_rows"], 3);
}

// The op launches the kernel and waits for it: its own sync_dep cannot say that.
TEST(ConvertLinked, AThreadBlockedInsideAnOpOfNadisFileDoesNoWorkMeanwhile) {
  const TemporaryFolder folder;
  folder.write("host.json", kSampleHost);
  std::string device = kSampleDevice;
  device.replace(device.find("cudaStreamSynchronize"), 21, "cudaDeviceSynchronize");
  folder.write("device.json", device);
  ASSERT_EQ(run_tool("-q link --host host.json --device device.json --output l.json", folder.path())
                .exit_code,
            0);
  const Json report = report_of("convert --linked l.json --delays all --output out", folder.path());
  EXPECT_EQ(folder.listing(), "device.json host.json l.json out.3.et");
  EXPECT_EQ(report["nodes_by_kind"]["call"], 1);
  EXPECT_EQ(report["edges"]["synchronisation"], 1);
  // mm [10, 30) launches at 12 and is blocked from 22 to 25, when the kernel ends.
  const Outcome slower = run_tool("replay out.3.et --scale kernels=2 --report -", folder.path());
  ASSERT_EQ(slower.exit_code, 0) << slower.err;
  EXPECT_EQ(Json::parse(slower.out)["scaled_ns"], 25'000);
}

TEST(ConvertLinked, SimulateSaysInALineHowLongTheReplayTakes) {
  const TemporaryFolder folder;
  folder.write("plus.json", mlcommons_json());
  const Outcome outcome = run_tool(
      "convert --linked plus.json --output-file graph.et --delays all --simulate", folder.path());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(
      outcome.out.ends_with("\ngraph.et: replayed 88.000 us, measured 88.000 us (+0.00 %)\n"))
      << outcome.out;
}

TEST(ConvertLinked, OptionsThatContradictAreUsageErrors) {
  for (const char* arguments :
       {"convert --linked a --device b --output c", "convert --linked a --match order --output c",
        "convert --linked a --target goal --output c", "convert --linked a b",
        "convert --linked a --output c --output-file d", "convert --traces a --output-file d",
        "convert --linked a --output-file d/",
        "link --host a --device b --annotation '' --output c"}) {
    const Outcome outcome = run_tool(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << arguments << outcome.err;
  }
}

TEST(ConvertLinked, StrictRefusesACutFile) {
  const TemporaryFolder folder;
  const std::string whole = mlcommons_json();
  folder.write("cut.json", whole.substr(0, whole.find(", \"name\": \"late\"")));
  EXPECT_EQ(run_tool("convert --linked cut.json --output a", folder.path()).exit_code, 0);
  EXPECT_EQ(run_tool("convert --linked cut.json --output b --strict", folder.path()).exit_code, 1);
  EXPECT_EQ(folder.listing(), "a.0.et cut.json");
}

TEST(ConvertLinked, AHostTraceGivenByMistakeIsToldApart) {
  const TemporaryFolder folder;
  folder.write("host.json", kSampleHost);
  const Outcome outcome = run_tool("convert --linked host.json --output out", folder.path());
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_NE(outcome.err.find("nadi convert, link and doctor take it with --host"),
            std::string::npos)
      << outcome.err;
}

}  // namespace
}  // namespace nadi
