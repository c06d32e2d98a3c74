// One test per fact of schema/host-trace.md (H1-H9).
#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/read/read_text.h"

namespace nadi {
namespace {

using test::read_host;
using test::read_nodes;

/// A node in Chakra form; `more` goes between the name and the attributes.
std::string node(int id, const std::string& name, const std::string& more = "",
                 const std::string& attributes = "") {
  return R"x({"id": )x" + std::to_string(id) + R"x(, "name": ")x" + name +
         R"x(", "ctrl_deps": 2, )x" + more +
         R"x("attrs": [{"name": "rf_id", "type": "uint64", "value": 5})x" + attributes + "]}";
}

std::string comms_node(const std::string& inputs, const std::string& types = "[]",
                       const std::string& attributes = "") {
  return node(
      9, "record_param_comms",
      R"x("inputs": {"values": )x" + inputs + R"x(, "shapes": [], "types": )x" + types +
          R"x(}, "outputs": {"values": [[4, 5, 0, 8, 4, "cuda:0"]], "shapes": [[8]], "types": ["Tensor(float)"]}, )x",
      attributes);
}

TEST(HostFacts, TheFlatFormAndTheChakraFormGiveTheSameOp) {
  Diagnostics diagnostics;
  const HostTrace flat =
      read_host(R"x({"schema": "1.0.1", "pid": 3, "time": "now", "start_ts": 10, "nodes": [
      {"name": "aten::mm", "id": 12, "rf_id": 4, "parent": 11, "fw_parent": 6, "seq_id": 8, "scope": 7, "tid": 1,
       "fw_tid": 2, "op_schema": "aten::mm(Tensor self)", "inputs": [[5,6,0,4,4,"cuda:0"],0.5], "input_shapes": [[2,2],[]],
       "input_types": ["Tensor(float)","Double"], "outputs": [1], "output_shapes": [[]], "output_types": ["Int"]
}],
      "finish_ts": 20
})x",
                diagnostics);
  const HostTrace chakra = read_host(R"x({"schema": "1.1.1-chakra.0.0.4", "nodes": [
      {"id": 12, "name": "aten::mm", "ctrl_deps": 11,
       "inputs": {"values": [[5,6,0,4,4,"cuda:0"],0.5], "shapes": [[2,2],[]], "types": ["Tensor(float)","Double"], "strides": [[2,1]]
}
, "outputs" : {"values" : [1], "shapes" : [[]], "types" : ["Int"], "strides" : []}, "attrs" : [
  {"name" : "rf_id", "type" : "uint64", "value" : 4},
  {"name" : "fw_parent", "type" : "uint64", "value" : 6},
  {"name" : "seq_id", "type" : "int64", "value" : 8},
  {"name" : "scope", "type" : "uint64", "value" : 7},
  {"name" : "tid", "type" : "uint64", "value" : 1},
  {"name" : "fw_tid", "type" : "uint64", "value" : 2},
  {"name" : "op_schema", "type" : "string", "value" : "aten::mm(Tensor self)"},
  {"name" : "kernel_backend", "type" : "string", "value" : "triton"},
  {"name" : "kernel_file", "type" : "string", "value" : "k.py"}
]
}],
      "finish_ts": 20
})x",
                                     diagnostics);
  for (const HostTrace* trace : {&flat, &chakra}) {
    ASSERT_EQ(trace->ops.size(), 1U);
    const auto text = [&](StringId id) { return trace->strings[id]; };
    EXPECT_EQ(text(trace->ops.name[0]), "aten::mm");
    EXPECT_EQ(trace->ops.id[0], 12U);
    EXPECT_EQ(trace->ops.parent[0], 11U);
    EXPECT_EQ(trace->ops.rf_id[0], 4U);
    EXPECT_EQ(trace->ops.fw_parent[0], 6U);
    EXPECT_EQ(trace->ops.seq_id[0], 8);
    EXPECT_EQ(trace->ops.scope[0], 7U);
    EXPECT_EQ(trace->ops.tid[0], 1U);
    EXPECT_EQ(trace->ops.fw_tid[0], 2U);
    EXPECT_EQ(text(trace->ops.op_schema[0]), "aten::mm(Tensor self)");
    EXPECT_EQ(text(trace->ops.input_values[0]), R"x([[5,6,0,4,4,"cuda:0"],0.5])x");
    EXPECT_EQ(text(trace->ops.input_shapes[0]), "[[2,2],[]]");
    EXPECT_EQ(text(trace->ops.input_types[0]), R"x(["Tensor(float)","Double"])x");
    EXPECT_EQ(text(trace->ops.output_values[0]), "[1]");
    EXPECT_EQ(text(trace->ops.output_types[0]), R"x(["Int"])x");
    EXPECT_EQ(trace->finish_ts, 20U);
  }
  EXPECT_EQ(chakra.strings[chakra.ops.kernel_backend[0]], "triton");
  EXPECT_EQ(chakra.strings[chakra.ops.input_strides[0]], "[[2,1]]");
  EXPECT_EQ(flat.pid, 3U);
  EXPECT_EQ(flat.start_ts, 10U);
  EXPECT_EQ(flat.strings[flat.time], "now");
  EXPECT_TRUE(diagnostics.table().empty());
}

TEST(HostFacts, AnUnknownSchemaIsReadByItsFieldsAndReportedOnce) {
  Diagnostics diagnostics;
  const HostTrace trace = read_host(
      R"x({"schema": "2.7.0-new", "nodes": [)x" + node(3, "a") + "," + node(4, "b") + "]}",
      diagnostics);
  EXPECT_EQ(trace.ops.size(), 2U);
  EXPECT_EQ(diagnostics.count(Finding::kUnknownSchema), 1U);
}

TEST(HostFacts, H1_ChildrenBeforeParentsAndMissingParentsStayAsWritten) {
  const HostTrace trace = read_nodes(node(5, "child") + "," + node(2, "parent"));
  EXPECT_EQ(trace.ops.id, (std::vector<std::uint64_t>{5, 2}));
  EXPECT_EQ(trace.ops.parent, (std::vector<std::uint64_t>{2, 2}));
}

TEST(HostFacts, H2_RootsAreKnownByOldAndNewNames) {
  EXPECT_TRUE(is_root("[pytorch|profiler|execution_trace|process]"));
  EXPECT_TRUE(is_root("[pytorch|profiler|execution_graph|thread]"));
  EXPECT_FALSE(is_root("aten::add"));
}

TEST(HostFacts, H3_TensorsWithAndWithoutADeviceAndNestedListsHaveBytes) {
  const HostTrace old_form =
      read_nodes(comms_node(R"x([[4,5,0,3,8], 1, 0, 0, "all_to_all", [], []])x",
                            R"x(["Tensor(long int)", "Int", "Int", "Int", "String"])x"));
  EXPECT_EQ(old_form.comms[0].input_bytes, 24);
  const HostTrace nested = read_nodes(comms_node(
      R"x([[[1,2,0,3,4,"cuda:0"],[3,4,0,5,4,"cuda:0"]], 1, "0", 0, "allreduce", [], [], 2])x",
      R"x(["GenericList[Tensor(float),Tensor(float)]", "Int", "String", "Int", "String"])x"));
  EXPECT_EQ(nested.comms[0].input_bytes, 32);
  EXPECT_EQ(nested.comms[0].output_bytes, 32);
  const HostTrace none = read_nodes(comms_node(R"x([1, "0", 0, "wait", [], []])x"));
  EXPECT_EQ(none.comms[0].input_bytes, -1);
}

/// Bytes of the tensors among `values`, the inputs of an all-to-all.
std::int64_t input_bytes(const std::string& values, const std::string& types) {
  return read_nodes(comms_node(values, types)).comms.at(0).input_bytes;
}

TEST(HostFacts, H9_OnlyTheTypesSayWhatIsATensor) {
  const std::string splits = "GenericList[Int,Int,Int,Int,Int,Int]";
  const std::string types = R"x(["Tensor(int)", "Int", "Int", "Int", "String", ")x" + splits +
                            R"x(", ")x" + splits + R"x("])x";
  EXPECT_EQ(
      input_bytes(
          R"x([[1,2,0,10,4,"cuda:0"], 1, 0, 0, "all_to_allv", [1,2,3,4,5,6], [9,9,9,9,9,9]])x",
          types),
      40);
  EXPECT_EQ(input_bytes("[[1,2,0,10,4], 1, 0, 0]", "[]"), -1);
  EXPECT_EQ(
      input_bytes(
          R"x([[7,[1,1,1,1,1],[[1,2,0,3,4,"cpu"],[3,4,0,5,4,"cpu"]]],[1,2,0,10,4,"cpu"]])x",
          R"x(["Tuple[Int,GenericList[Int,Int,Int,Int,Int],GenericList[Tensor(float),Tensor(float)]]", "Tensor(float)"])x"),
      72);
}

TEST(HostFacts, H9_TensorsWithoutASizeAndSizesThatOverflowAreLeftOut) {
  const std::string two = R"x(["Tensor(float)", "Tensor(float)"])x";
  EXPECT_EQ(input_bytes("[[1,2,0], [1,2,0,10,4]]", two), 40);
  EXPECT_EQ(input_bytes("[[1,2,0,-3,4], [1,2,0,10,4]]", two), 40);
  EXPECT_EQ(input_bytes("[[1,2,0,9223372036854775807,4], [1,2,0,10,4]]", two), 40);
  EXPECT_EQ(input_bytes("[[1,2,0,9223372036854775807,1], [1,2,0,10,4]]", two),
            std::numeric_limits<std::int64_t>::max());
}

TEST(HostFacts, H9_ListsInAThousandListsEndTheSearchForTensors) {
  std::string values = "[1,2,0,10,4]", types = "Tensor(float)";
  for (int depth = 0; depth < 1000; ++depth) {
    values = "[" + values + "]";
    types = "GenericList[" + types + "]";
  }
  EXPECT_EQ(
      input_bytes("[" + values + ", [1,2,0,5,4]]", R"x([")x" + types + R"x(", "Tensor(float)"])x"),
      20);
}

TEST(HostFacts, H4_EqualTensorIdsOfTwoOpsAreJustKept) {
  const std::string values =
      R"x("inputs": {"values": [[1,2,0,3,4,"cpu"]], "shapes": [[3]], "types": ["Tensor(float)"]}, )x";
  const HostTrace trace = read_nodes(node(5, "a", values) + "," + node(6, "b", values));
  EXPECT_EQ(trace.ops.input_values[0], trace.ops.input_values[1]);
  EXPECT_EQ(trace.ops.parent, (std::vector<std::uint64_t>{2, 2}));
}

TEST(HostFacts, H5_PlaceholdersAndBareInfStayInTheTextAsWritten) {
  Diagnostics diagnostics;
  const HostTrace trace = read_nodes(
      node(
          5, "a",
          R"x("inputs": {"values": ["<None>",inf,-inf,nan,"<...>"], "shapes": [[],[],[],[],[]], "types": []}, )x"),
      diagnostics);
  ASSERT_EQ(trace.ops.size(), 1U);
  EXPECT_EQ(trace.strings[trace.ops.input_values[0]], R"x(["<None>",inf,-inf,nan,"<...>"])x");
}

TEST(HostFacts, H5_AnUnescapedNameIsRepaired) {
  Diagnostics diagnostics;
  const HostTrace trace =
      read_nodes(node(5, R"x(say "hi" to C:\data)x") + "," + node(6, "next"), diagnostics);
  ASSERT_EQ(trace.ops.size(), 2U);
  EXPECT_EQ(trace.strings[trace.ops.name[0]], R"x(say "hi" to C:\data)x");
  EXPECT_EQ(trace.strings[trace.ops.name[1]], "next");
  EXPECT_EQ(diagnostics.count(Finding::kBrokenJsonRepaired), 1U);
}

TEST(HostFacts, H5_AnObserverThatWasNotStoppedIsAWarning) {
  Diagnostics diagnostics;
  const HostTrace trace =
      read_host(R"x({"schema": "1.0.1", "nodes": [)x" + node(5, "a") + ",\n", diagnostics);
  EXPECT_EQ(trace.ops.size(), 1U);
  EXPECT_EQ(trace.finish_ts, 0U);
  EXPECT_EQ(diagnostics.count(Finding::kObserverNotStopped), 1U);
  EXPECT_FALSE(diagnostics.has_loss());
}

TEST(HostFacts, H6_ListsOfTritonNodesMayDifferInLength) {
  const HostTrace trace = read_nodes(node(
      16, "triton_poi_fused_add_0",
      R"x("inputs": {"values": [[15,4,0,16,4,"cuda:0"],16,140382148398488], "shapes": [[4,4],[],[]], "types": ["Tensor(float)","Int","Int"], "strides": [[4,1]]}, )x"));
  EXPECT_EQ(trace.strings[trace.ops.input_values[0]],
            R"x([[15,4,0,16,4,"cuda:0"],16,140382148398488])x");
  EXPECT_EQ(trace.strings[trace.ops.input_strides[0]], "[[4,1]]");
}

struct CommCase {
  const char* inputs;
  const char* collective;
  const char* group;
  const char* description;
  std::int64_t seq, rank, size;
  bool is_p2p;
};

TEST(HostFacts, H7_PositionalInputsAreToldApartInEveryVersion) {
  const CommCase cases[] = {
      // 1.0.1: tensor, seq, backend address, rank, name, splits
      {R"x([[718, 715, 0, 6144, 4, "cuda:0"], 147, 94594108284448, 0, "all_to_allv", [768, 768], [768, 768]])x",
       "all_to_allv", "94594108284448", "", 147, 0, -1, false},
      {R"x([141, 0, 0, "wait", [], []])x", "wait", "", "", 141, 0, -1, false},
      // 1.0.2: … group size
      {R"x([[[14, 15, 0, 1, 4, "cuda:0"]], 12, 82149104, 0, "all_gather", [], [], 2])x",
       "all_gather", "82149104", "", 12, 0, 2, false},
      // 1.0.3: group as [name, description], rank start and stride
      {R"x([[[433, 434, 0, 53120, 4, "cuda:0"]], 33, ["0", "default_pg"], 0, "broadcast", [], [], 0, 1, 4])x",
       "broadcast", "0", "default_pg", 33, 0, 4, false},
      {R"x([33, ["", ""], 0, "wait", [], [], -1, -1, 1])x", "wait", "", "", 33, 0, 1, false},
      // Group as a name alone.
      {R"x([[[433, 434, 0, 53120, 4, "cuda:0"]], 33, "pg7", 2, "reduce", [], [], 0, 1, 4])x",
       "reduce", "pg7", "", 33, 2, 4, false},
      // Later: [seq, is_p2p]; send/recv: the peer's rank within the group.
      {R"x([[[433, 434, 0, 16, 4, "cuda:0"]], [5, true], ["7", "pp"], 3, "send", [], [], 0, 4, 8, false])x",
       "send", "7", "pp", 5, 3, 8, true},
      {R"x([[5, false], ["7", "pp"], 0, "barrier", [], [], 0, 4, 8])x", "barrier", "7", "pp", 5, 0,
       8, false},
  };
  for (const CommCase& expected : cases) {
    const HostTrace trace = read_nodes(comms_node(expected.inputs));
    ASSERT_EQ(trace.comms.size(), 1U) << expected.inputs;
    EXPECT_EQ(trace.ops.comm[0].value, 0U);
    const CommRecord& comm = trace.comms[0];
    EXPECT_EQ(trace.strings[comm.collective], expected.collective) << expected.inputs;
    EXPECT_EQ(trace.strings[comm.pg_name], expected.group) << expected.inputs;
    EXPECT_EQ(trace.strings[comm.pg_desc], expected.description) << expected.inputs;
    EXPECT_EQ(comm.seq, expected.seq) << expected.inputs;
    EXPECT_EQ(comm.peer_rank, expected.rank) << expected.inputs;
    EXPECT_EQ(comm.group_size, expected.size) << expected.inputs;
    EXPECT_EQ(comm.is_p2p, expected.is_p2p) << expected.inputs;
  }
}

TEST(HostFacts, H7_InputsNestedDeeperThanAnyListAreReadInTimeAndStack) {
  constexpr std::size_t kDeep = 100'000;
  const std::string nested = std::string(kDeep, '[') + std::string(kDeep, ']');
  std::string types = "\"";
  for (std::size_t i = 0; i < kDeep; ++i) types += "GenericList[";
  types += std::string(kDeep, ']') + "\"";
  const HostTrace trace = read_nodes(
      comms_node("[" + nested + R"x(, 5, "7", 3, "allreduce", [], []])x", "[" + types + "]"));
  ASSERT_EQ(trace.comms.size(), 1U);
  EXPECT_EQ(trace.strings[trace.comms[0].collective], "allreduce");
  EXPECT_EQ(trace.comms[0].input_bytes, -1);
}
TEST(HostFacts, H7_CommunicationAttributesCountMoreThanPositions) {
  const HostTrace trace = read_nodes(comms_node(
      R"x([[[433, 434, 0, 16, 4, "cuda:0"]], [5, false], ["7", "pp"], 3, "allreduce", [], [], 0, 4, 8])x",
      R"x(["GenericList[Tensor(c10::BFloat16)]"])x",
      R"x(, {"name": "collective_name", "type": "string", "value": "all_reduce"}, {"name": "dtype", "type": "string", "value": "BFloat16"},
          {"name": "in_msg_nelems", "type": "uint64", "value": 16}, {"name": "out_msg_nelems", "type": "uint64", "value": 32},
          {"name": "in_split_size", "type": "string", "value": "[1]"}, {"name": "global_rank_start", "type": "uint64", "value": 2},
          {"name": "global_rank_stride", "type": "uint64", "value": 3}, {"name": "pg_name", "type": "string", "value": "9"},
          {"name": "pg_desc", "type": "string", "value": "dp"}, {"name": "pg_size", "type": "uint64", "value": 64})x"));
  const CommRecord& comm = trace.comms.at(0);
  EXPECT_EQ(trace.strings[comm.collective], "all_reduce");
  EXPECT_EQ(trace.strings[comm.dtype], "BFloat16");
  EXPECT_EQ(comm.in_nelems, 16);
  EXPECT_EQ(comm.out_nelems, 32);
  EXPECT_EQ(trace.strings[comm.in_split], "[1]");
  EXPECT_EQ(comm.rank_start, 2);
  EXPECT_EQ(comm.rank_stride, 3);
  EXPECT_EQ(trace.strings[comm.pg_name], "9");
  EXPECT_EQ(trace.strings[comm.pg_desc], "dp");
  EXPECT_EQ(comm.group_size, 64);
  EXPECT_EQ(comm.seq, 5);
  EXPECT_EQ(comm.input_bytes, 64);
}

std::string group_node(const std::string& text) {
  return node(
      3, "## process_group:init ##",
      R"x("inputs": {"values": [")x" + text + R"x("], "shapes": [[]], "types": ["String"]}, )x");
}

TEST(HostFacts, H8_ProcessGroupsComeFromTheInitNode) {
  const HostTrace trace = read_nodes(group_node(
      R"x([{\"pg_name\": \"0\", \"pg_desc\": \"default_pg\", \"backend_config\": \"cuda:nccl\", \"ranks\": [], \"group_size\": 2, \"group_count\": 2}, )x"
      R"x({\"pg_name\": \"3f2a\", \"pg_desc\": \"tp\", \"backend_config\": \"cuda:nccl\", \"ranks\": [0, 4], \"group_size\": 2, \"group_count\": 2}])x"));
  ASSERT_EQ(trace.groups.size(), 2U);
  EXPECT_EQ(trace.groups[0].name, "0");
  EXPECT_TRUE(trace.groups[0].ranks.empty());  // all ranks
  EXPECT_EQ(trace.groups[0].size, 2);
  EXPECT_EQ(trace.groups[1].name, "3f2a");
  EXPECT_EQ(trace.groups[1].desc, "tp");
  EXPECT_EQ(trace.groups[1].ranks, (std::vector<std::int64_t>{0, 4}));
}

TEST(HostFacts, H8_WholeEntriesOfACutTextAreKept) {
  Diagnostics diagnostics;
  const HostTrace trace = read_nodes(
      group_node(R"x([{\"pg_name\": \"0\", \"ranks\": [0, 1]}, {\"pg_name\": \"1\", \"ran)x"),
      diagnostics);
  ASSERT_EQ(trace.groups.size(), 1U);
  EXPECT_EQ(trace.groups[0].ranks, (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(diagnostics.count(Finding::kProcessGroupsCut), 1U);
}

TEST(HostFacts, H8_ABackendAddressBecomesTheNameOfItsGroup) {
  const HostTrace trace = read_nodes(
      group_node(R"x([{\"pg_name\": \"7\", \"backend_id\": 82149104, \"ranks\": []}])x") + "," +
      comms_node(R"x([[[1,2,0,1,4,"cuda:0"]], 12, 82149104, 0, "all_gather", [], [], 2])x"));
  EXPECT_EQ(trace.strings[trace.comms.at(0).pg_name], "7");
}

TEST(HostFacts, ANodeWithoutAnIdIsCountedAndLeftOut) {
  Diagnostics diagnostics;
  const HostTrace trace =
      read_nodes(R"x({"name": "x", "rf_id": 3, "parent": 1},)x" + node(5, "a"), diagnostics);
  EXPECT_EQ(trace.ops.size(), 1U);
  EXPECT_EQ(diagnostics.count(Finding::kNodeWithoutId), 1U);
}

}  // namespace
}  // namespace nadi
