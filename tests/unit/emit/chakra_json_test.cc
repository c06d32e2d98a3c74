#include "nadi/emit/chakra_json.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "chakra_bytes.h"
#include "nadi/chakra/graph_summary.h"
#include "nadi/chakra/load_chakra_graph.h"

namespace nadi {
namespace {

using Json = nlohmann::json;

Json json_of(const ChakraFile& file) {
  const std::string bytes = frame(file);
  ChakraReader reader(messages_of_bytes(bytes, "x.et"));
  std::string text;
  write_chakra_json(reader, [&](std::string_view piece) { text += piece; });
  return Json::parse(text);
}

TEST(ChakraJson, IsOneDocumentInProtobufsMapping) {
  ChakraFile file;
  file.metadata.set_version("0.0.4");
  file.nodes = {make_node(1, ChakraProtoMsg::COMP_NODE),
                make_node(2, ChakraProtoMsg::COMM_COLL_NODE, {1})};
  file.nodes[1].set_name("quote \" and \u00e9");
  auto* attribute = file.nodes[1].add_attr();
  attribute->set_name("comm_size");
  attribute->set_int64_val(0);
  const Json document = json_of(file);
  EXPECT_EQ(document["metadata"]["version"], "0.0.4");
  ASSERT_EQ(document["nodes"].size(), 2U);
  EXPECT_EQ(document["nodes"][1]["id"], "2");
  EXPECT_EQ(document["nodes"][1]["type"], "COMM_COLL_NODE");
  EXPECT_EQ(document["nodes"][1]["dataDeps"], Json::array({"1"}));
  EXPECT_EQ(document["nodes"][1]["name"], "quote \" and \u00e9");
  EXPECT_EQ(document["nodes"][1]["attr"][0]["int64Val"], "0");
}

TEST(ChakraJson, OfNoNodesIsValidToo) { EXPECT_TRUE(json_of({})["nodes"].empty()); }

TEST(GraphSummary, CountsKindsLanesEdgesAndCommunications) {
  TraceBuilder b;
  const auto op = b.add_op("aten::mm", 10, 7, 0, 9000);
  const auto row = b.add_row("ncclDevKernel_AllReduce", 5000, 10'000, 1, op, 2000);
  b.add_op_node(op, 2000);
  b.add_part(op, 2000, 7000);
  b.add_row_node(row);
  b.add_call_node(b.add_call("cudaMalloc", 9000, 1000, 3));
  b.add_delay(LaneIndex{0}, 10'000, 4000, 3);
  b.add_edge(0, 1, Evidence::kThreadOrder);
  b.add_edge(0, 2, Evidence::kLaunch);
  b.add_edge(0, 2, Evidence::kNesting);
  b.set_communication(2, CommKind::kAllReduce, {.bytes = 64, .group = b.text("0")});
  const std::string bytes = write_bytes(b);
  const Graph graph = load_chakra_graph(messages_of_bytes(bytes, "x.et"), {.parents = true});
  const GraphSummary summary = summarize_graph(graph);
  EXPECT_EQ(summary.data_edges, 2U);
  EXPECT_EQ(summary.ctrl_edges, 1U);
  EXPECT_EQ(summary.span_ns, 15'000);
  EXPECT_EQ(summary.types.at("COMP_NODE"), 4U);
  EXPECT_EQ(summary.types.at("COMM_COLL_NODE"), 1U);
  for (const char* kind : {"op", "part", "device row", "call", "delay"})
    EXPECT_EQ(summary.kinds.at(kind), 1U) << kind;
  EXPECT_EQ(summary.communications.at({"ALL_REDUCE", "0"}).count, 1U);
  EXPECT_EQ(summary.communications.at({"ALL_REDUCE", "0"}).bytes, 64);
  ASSERT_EQ(graph.lanes, (std::vector<GraphLane>{{false, 1, -1, -1}, {true, -1, 0, 7}}));
  const LaneCount host = summary.lanes.at(0);
  EXPECT_EQ(host.nodes, 3U) << "the delay is none";
  EXPECT_EQ(host.busy_ns, 10'000);
  EXPECT_EQ(host.delay_ns, 4'000);
  EXPECT_EQ(summary.lanes.at(1).busy_ns, 10'000);
}

TEST(GraphSummary, OfStartsAndLengthsAtBothEndsDoesNotOverflow) {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min(),
                         kMost = std::numeric_limits<std::int64_t>::max();
  ChakraFile file;
  for (std::uint64_t id = 1; id <= 4; ++id) {
    auto& node = file.nodes.emplace_back(
        make_node(id, ChakraProtoMsg::COMP_NODE,
                  id > 2 ? std::vector{id - 1} : std::vector<std::uint64_t>{}));
    const auto add = [&](const char* name, std::int64_t value) {
      auto& attribute = *node.add_attr();
      attribute.set_name(name);
      attribute.set_int64_val(value);
    };
    add("start_ns", id % 2 == 1 ? kLeast : kMost);
    add("duration_ns", id < 3 ? kMost : kLeast);
  }
  const std::string bytes = frame(file);
  const Graph graph = load_chakra_graph(messages_of_bytes(bytes, "x.et"), {.parents = true});
  EXPECT_EQ(summarize_graph(graph).types.at("COMP_NODE"), 4U);
}

TEST(GraphSummary, OfDependenciesOnNoNodeAndOnCyclesCountsTheOthersAndThese) {
  ChakraFile file;
  file.nodes = {make_node(1, ChakraProtoMsg::COMP_NODE, {2}),
                make_node(2, ChakraProtoMsg::COMP_NODE, {1}),
                make_node(3, ChakraProtoMsg::COMP_NODE, {2, 7}),
                make_node(4, ChakraProtoMsg::COMP_NODE, {}, {9})};
  const std::string bytes = frame(file);
  const Graph graph =
      load_chakra_graph(messages_of_bytes(bytes, "x.et"), {}, BadDependencies::kDropAndKeepCycles);
  EXPECT_EQ(graph.dependencies_dropped, 2U);
  EXPECT_EQ(graph.nodes_on_cycles, 3U) << "of which one only waits for a cycle";
  EXPECT_EQ(summarize_graph(graph).data_edges, 3U);
  EXPECT_EQ(summarize_graph(graph).types.at("COMP_NODE"), 4U);
}

}  // namespace
}  // namespace nadi
