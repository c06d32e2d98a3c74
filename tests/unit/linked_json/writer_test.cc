#include "nadi/linked_json/writer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/unit/emit/trace_builder.h"

namespace nadi {
namespace {

using Json = nlohmann::json;

constexpr const char* kThread = "[pytorch|profiler|execution_trace|thread]";

Json linked(const TraceBuilder& b, Diagnostics& diagnostics) {
  std::string text;
  write_linked_json(
      b.trace, b.graph(), [&](std::string_view piece) { text += piece; }, diagnostics);
  return Json::parse(text);
}

Json linked(const TraceBuilder& b) {
  Diagnostics diagnostics;
  return linked(b, diagnostics);
}

const Json& named(const Json& document, const std::string& name) {
  const auto& nodes = document["nodes"];
  const auto found =
      std::find_if(nodes.begin(), nodes.end(), [&](const Json& n) { return n["name"] == name; });
  EXPECT_NE(found, nodes.end()) << name;
  return *found;
}

Json attribute(const Json& node, const std::string& name) {
  for (const Json& a : node["attrs"])
    if (a["name"] == name) return a["value"];
  return nullptr;
}

// step [0, 9000) holds mm [1000, 3000) that launches gemm at 1500, item [4000, 8000) that waits for
// it, and add [8100, 8200).
TraceBuilder step_trace() {
  TraceBuilder b;
  b.add_root("[pytorch|profiler|execution_trace|process]", 1, 1, 0);
  b.add_root(kThread, 2, 1, 1);
  const auto step = b.add_op("step", 20, 100, 0, 9000);
  const auto mm = b.add_op("mm", 21, 101, 1000, 2000, step);
  const auto item = b.add_op("item", 22, 102, 4000, 4000, step);
  const auto add = b.add_op("add", 23, 103, 8100, 100, step);
  b.set_inputs(mm, R"([[1,2,0,4,4,"cuda:0"],inf])", "[[4],[]]", R"x(["Tensor(float)","Double"])x");
  const auto row = b.add_row("gemm", 3500, 3000, 5, mm, 1500);
  const auto call = b.add_call("cudaStreamSynchronize", 6500, 100, 6);
  b.add_op_node(step, 1000);
  b.add_op_node(mm, 2000);
  b.add_row_node(row);
  b.add_op_node(item, 500);
  b.add_call_node(call);
  b.add_op_node(add, 100);
  b.add_edge(0, 1, Evidence::kThreadOrder);
  b.add_edge(1, 2, Evidence::kLaunch);
  b.add_edge(2, 4, Evidence::kSynchronisation);
  return b;
}

TEST(LinkedJson, HasTheHostTracesHeader) {
  const Json document = linked(step_trace());
  EXPECT_EQ(document["schema"], "1.0.3-chakra.0.0.4");
  EXPECT_EQ(document["pid"], 4711);
  EXPECT_EQ(document["time"], "2024-04-17 16:29:57");
  EXPECT_EQ(document["start_ts"], 1000);
  EXPECT_EQ(document["finish_ts"], 2000);
  EXPECT_FALSE(document.contains("source_schema"));
}

TEST(LinkedJson, NamesTheDevicesAsTheDeviceTraceDoes) {
  TraceBuilder b = step_trace();
  EXPECT_FALSE(linked(b)["nadi"].contains("deviceProperties"));
  b.trace.device.device_names = {"A100", "V100"};
  EXPECT_EQ(linked(b)["nadi"]["deviceProperties"].dump(), R"([{"name":"A100"},{"name":"V100"}])");
}

TEST(LinkedJson, ASchemaMlCommonsConverterRefusesIsWrittenAsTheNearestItKnows) {
  TraceBuilder b = step_trace();
  b.trace.host.schema = b.text("1.0.1");
  EXPECT_EQ(linked(b)["schema"], "1.0.3-chakra.0.0.4");
  EXPECT_EQ(linked(b)["source_schema"], "1.0.1");
}

TEST(LinkedJson, IdsAscendRootsFirstThenOpsByStartAndRowsByLaunch) {
  const Json document = linked(step_trace());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < document["nodes"].size(); ++i) {
    EXPECT_EQ(document["nodes"][i]["id"], i + 1);
    names.push_back(document["nodes"][i]["name"]);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"[pytorch|profiler|execution_trace|process]", kThread,
                                             "step", "mm", "gemm", "item", "add"}));
}

TEST(LinkedJson, EveryCallerIsInTheFileAndBeforeItsCallees) {
  const Json document = linked(step_trace());
  for (const Json& node : document["nodes"]) {
    EXPECT_LE(node["ctrl_deps"], node["id"]);
    EXPECT_GE(node["ctrl_deps"], 1);
  }
  EXPECT_EQ(named(document, "step")["ctrl_deps"], named(document, kThread)["id"]);
  EXPECT_EQ(named(document, "mm")["ctrl_deps"], named(document, "step")["id"]);
  EXPECT_EQ(named(document, kThread)["ctrl_deps"], 1);
}

TEST(LinkedJson, AnOpHasTimesInMicrosecondsAndItsListsAsValidJson) {
  const Json document = linked(step_trace());
  const Json& mm = named(document, "mm");
  EXPECT_DOUBLE_EQ(mm["inclusive_dur"], 2.0);
  EXPECT_DOUBLE_EQ(mm["exclusive_dur"], 2.0);
  EXPECT_DOUBLE_EQ(mm["ts"], 1.0);
  EXPECT_TRUE(mm["inter_thread_dep"].is_null());
  EXPECT_EQ(mm["inputs"]["values"], Json::parse(R"([[1,2,0,4,4,"cuda:0"],"inf"])"));
  EXPECT_EQ(attribute(mm, "rf_id"), 101);
  EXPECT_EQ(attribute(mm, "op_schema"), "");
  EXPECT_FALSE(mm.contains("cat"));
}

TEST(LinkedJson, ADeviceRowIsACopyOfItsLaunchingOpWithWhatTheDeviceKnows) {
  const Json document = linked(step_trace());
  const Json &gemm = named(document, "gemm"), &mm = named(document, "mm");
  EXPECT_EQ(gemm["ctrl_deps"], mm["id"]);
  EXPECT_EQ(gemm["attrs"], mm["attrs"]);
  EXPECT_EQ(gemm["inputs"], mm["inputs"]);
  EXPECT_EQ(gemm["cat"], "kernel");
  EXPECT_EQ(gemm["ph"], "X");
  EXPECT_EQ(gemm["stream"], 7);
  EXPECT_DOUBLE_EQ(gemm["ts"], 3.5);
  EXPECT_DOUBLE_EQ(gemm["exclusive_dur"], 3.0);
  EXPECT_FALSE(gemm.contains("pg_name"));
}

// Defect C2: sync dependencies that never reach the graph.
TEST(LinkedJson, TheOpInsideWhichAThreadWaitsForTheDeviceHasTheSyncDependency) {
  const Json document = linked(step_trace());
  EXPECT_EQ(named(document, "item")["sync_dep"], Json::array({named(document, "gemm")["id"]}));
  EXPECT_TRUE(named(document, "add")["sync_dep"].empty());
}

TEST(LinkedJson, AWaitAfterTheLastInnerOpGoesToTheNextOpOnTheThread) {
  TraceBuilder b = step_trace();
  b.trace.ops.duration_ns[2] = 1000;  // item now ends before the call: the wait is step's own
  const Json document = linked(b);
  EXPECT_TRUE(named(document, "item")["sync_dep"].empty());
  EXPECT_TRUE(named(document, "step")["sync_dep"].empty());
  EXPECT_EQ(named(document, "add")["sync_dep"], Json::array({named(document, "gemm")["id"]}));
}

TEST(LinkedJson, AnEventWaitIsASyncDependencyOfTheDeviceRow) {
  TraceBuilder b = step_trace();
  const auto other = b.add_row("other", 7000, 10, 9, 2, 4100, b.add_device_lane(0, 9));
  b.add_edge(2, b.add_row_node(other), Evidence::kEventWait);
  const Json document = linked(b);
  EXPECT_EQ(named(document, "other")["sync_dep"], Json::array({named(document, "gemm")["id"]}));
  EXPECT_EQ(named(document, "other")["stream"], 9);
}

TEST(LinkedJson, AThreadHandOffIsTheInterThreadDependencyAndTheThreadGetsARoot) {
  TraceBuilder b = step_trace();
  const LaneIndex lane = b.add_host_lane(2);
  const auto backward = b.add_op("MmBackward0", 30, 200, 8500, 10, kNoIndex, lane);
  b.trace.host.ops.fw_parent[b.trace.ops.host[backward]] = 21;
  b.add_edge(5, b.add_op_node(backward, 10), Evidence::kThreadHandOff);
  const Json document = linked(b);
  const Json& node = named(document, "MmBackward0");
  EXPECT_EQ(node["inter_thread_dep"], named(document, "add")["id"]);
  EXPECT_EQ(attribute(node, "fw_parent"), named(document, "mm")["id"]);
  const Json& root = document["nodes"][node["ctrl_deps"].get<std::size_t>() - 1];
  EXPECT_EQ(root["name"], kThread);
  EXPECT_EQ(attribute(root, "tid"), 2);
}

TEST(LinkedJson, AnUnlaunchedRowIsKeptUnderAThreadRoot) {
  TraceBuilder b = step_trace();
  b.add_row_node(b.add_row("lost", 8000, 10, 77, kNoIndex, kNoTime));
  const Json document = linked(b);
  EXPECT_EQ(named(document, "lost")["ctrl_deps"], named(document, kThread)["id"]);
}

TEST(LinkedJson, ARowWhoseCallIsLostStandsBehindTheCallBeforeItAndBehindItsOp) {
  const auto rows_in_order = [](Ns launched_after, std::uint32_t op) {
    TraceBuilder b = step_trace();
    b.add_row_node(b.add_row("lost", 8000, 10, 77, op, kNoTime));
    b.trace.rows.launched_after_ns.back() = launched_after;
    std::vector<std::string> names;
    const Json document = linked(b);
    for (const Json& node : document["nodes"])
      if (node["name"] == "lost" || node["name"] == "gemm" || node["name"] == "item")
        names.push_back(node["name"]);
    return names;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(rows_in_order(kNoTime, kNoIndex), (Names{"gemm", "item", "lost"}));
  EXPECT_EQ(rows_in_order(1600, kNoIndex), (Names{"gemm", "lost", "item"}));
  EXPECT_EQ(rows_in_order(1600, 2), (Names{"gemm", "item", "lost"}));  // 2: item
}

TEST(LinkedJson, NcclRowsHaveAGroupEvenWhenItIsNotKnown) {
  TraceBuilder b = step_trace();
  const auto known = b.add_row_node(b.add_row("ncclDevKernel_AllReduce", 8000, 10, 77, 1, 2000));
  b.set_communication(known, CommKind::kAllReduce, {.bytes = 4, .group = b.text("5")});
  b.add_row_node(b.add_row("ncclDevKernel_New", 8100, 10, 78, 1, 2001));
  const Json document = linked(b);
  EXPECT_EQ(named(document, "ncclDevKernel_AllReduce")["pg_name"], "5");
  EXPECT_EQ(named(document, "ncclDevKernel_New")["pg_name"], "");
}

TEST(LinkedJson, AWaitThatWouldPointForwardIsDroppedAndCounted) {
  TraceBuilder b = step_trace();
  b.nodes[4].start_ns = 8200;  // the call now begins after the last op
  Diagnostics diagnostics;
  const Json document = linked(b, diagnostics);
  for (const Json& node : document["nodes"]) EXPECT_TRUE(node["sync_dep"].empty());
  EXPECT_EQ(diagnostics.count(Finding::kLinkedWaitDropped), 1U);
}

TEST(LinkedJson, OpsLeftOutOfTheGraphAreLeftOutAndTheirChildrenHangOnTheThread) {
  TraceBuilder b;
  const auto step = b.add_op("step", 20, 100, 0, 9000);
  b.add_op_node(b.add_op("mm", 21, 101, 1000, 2000, step), 2000);
  const Json document = linked(b);
  ASSERT_EQ(document["nodes"].size(), 3U);
  EXPECT_EQ(named(document, "mm")["ctrl_deps"], 2);
}

TEST(LinkedJson, OddTextStaysValidJson) {
  TraceBuilder b;
  const auto op = b.add_op("a \"quoted\" \\ \x01 \xff name", 20, 100, 0, 10);
  b.set_inputs(op, "[1, broken", "[[1]]", "[nan, -inf]");
  b.add_op_node(op, 10);
  Diagnostics diagnostics;
  const Json node = linked(b, diagnostics)["nodes"][2];
  EXPECT_EQ(node["name"], "a \"quoted\" \\ \x01 \ufffd name");
  EXPECT_EQ(node["inputs"]["values"], "[1, broken");
  EXPECT_EQ(node["inputs"]["types"], Json::array({"nan", "-inf"}));
  EXPECT_EQ(diagnostics.count(Finding::kIoTextNotJson), 1U);
}

}  // namespace
}  // namespace nadi
