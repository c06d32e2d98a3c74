#include "nadi/chakra/chakra_check.h"

#include <gtest/gtest.h>

#include "chakra_bytes.h"
#include "nadi/base/error.h"

namespace nadi {
namespace {

using ChakraProtoMsg::COMM_COLL_NODE;
using ChakraProtoMsg::COMM_RECV_NODE;
using ChakraProtoMsg::COMM_SEND_NODE;
using ChakraProtoMsg::COMP_NODE;
using ChakraNode = ChakraProtoMsg::Node;

ChakraCheck check_bytes(const std::string& bytes) {
  return check_chakra(messages_of_bytes(bytes, "x.et"));
}

ChakraCheck check_nodes(const std::vector<ChakraNode>& nodes) {
  ChakraFile file;
  file.nodes = nodes;
  return check_bytes(frame(file));
}

std::string first_place(const ChakraCheck& check, CheckRule rule) {
  const CheckFinding* finding = check.find(rule);
  return finding == nullptr ? "no finding" : finding->first.at(0);
}

ChakraProtoMsg::AttributeProto* add(ChakraNode& node, const char* name) {
  auto* attribute = node.add_attr();
  attribute->set_name(name);
  return attribute;
}

ChakraNode collective(std::uint64_t id, std::int64_t type, std::int64_t size) {
  ChakraNode node = make_node(id, COMM_COLL_NODE);
  add(node, "comm_type")->set_int64_val(type);
  add(node, "comm_size")->set_int64_val(size);
  return node;
}

TEST(ChakraCheck, AGoodFileHasNoFindings) {
  ChakraNode send = make_node(3, COMM_SEND_NODE, {2});
  add(send, "comm_dst")->set_int32_val(1);
  add(send, "comm_tag")->set_int32_val(0);
  add(send, "comm_size")->set_int64_val(8);
  add(send, "is_cpu_op")->set_bool_val(false);
  add(send, "pg_name")->set_string_val("12");
  const ChakraCheck check = check_nodes({make_node(1, COMP_NODE), collective(2, 0, 4), send});
  EXPECT_TRUE(check.findings.empty());
  EXPECT_FALSE(check.has_errors());
  EXPECT_EQ(check.nodes, 3U);
  EXPECT_EQ(check.data_edges, 1U);
  EXPECT_EQ(check.ctrl_edges, 0U);
}

TEST(ChakraCheck, ARepeatedIdIsFoundInAnyOrder) {
  const auto check =
      check_nodes({make_node(9, COMP_NODE), make_node(2, COMP_NODE), make_node(9, COMP_NODE)});
  EXPECT_EQ(first_place(check, CheckRule::kDuplicateId), "node 9");
  EXPECT_EQ(check.find(CheckRule::kDuplicateId)->count, 1U);
  EXPECT_TRUE(check.has_errors());
}

TEST(ChakraCheck, AFieldOfAnotherWireTypeIsFound) {
  ChakraNode node = make_node(1, COMP_NODE);
  node.GetReflection()->MutableUnknownFields(&node)->AddLengthDelimited(1, "tid");
  node.GetReflection()->MutableUnknownFields(&node)->AddVarint(99, 5);  // of a newer schema
  const auto check = check_nodes({node});
  EXPECT_EQ(first_place(check, CheckRule::kFieldType), "node 1 (node 1): field 1");
  EXPECT_EQ(check.find(CheckRule::kFieldType)->count, 1U);
}

TEST(ChakraCheck, TimesThatNoSimulatorCanAddUpAreFound) {
  constexpr std::int64_t kYear = 31'557'600'000'000'000;
  ChakraNode late = make_node(1, COMP_NODE), first = make_node(2, COMP_NODE), second = first;
  second.set_id(3);
  add(late, "start_ns")->set_int64_val(130 * kYear);
  first.set_duration_micros(20 * kYear / 1000);
  add(second, "duration_ns")->set_int64_val(20 * kYear);
  EXPECT_EQ(first_place(check_nodes({late}), CheckRule::kTimesTooLong), "node 1 (node 1)");
  EXPECT_EQ(first_place(check_nodes({first, second}), CheckRule::kTimesTooLong), "node 3 (node 2)");
  EXPECT_EQ(check_nodes({second}).find(CheckRule::kTimesTooLong), nullptr);
  late.mutable_attr(late.attr_size() - 1)->set_int64_val(56 * kYear);
  EXPECT_EQ(check_nodes({late}).find(CheckRule::kTimesTooLong), nullptr);  // since 1970
}

// Defect C14: the process root is gone, its id is not.
TEST(ChakraCheck, DependenciesOnMissingNodesAreToldApartByKind) {
  const auto check =
      check_nodes({make_node(1, COMP_NODE, {77}), make_node(2, COMP_NODE, {1}, {1, 88, 99})});
  EXPECT_EQ(first_place(check, CheckRule::kDanglingDataDep), "node 1 depends on 77");
  EXPECT_EQ(first_place(check, CheckRule::kDanglingCtrlDep), "node 2 depends on 88");
  EXPECT_EQ(check.find(CheckRule::kDanglingCtrlDep)->count, 2U);
}

TEST(ChakraCheck, ACycleOfDataAndCtrlTogetherIsFoundAndTheShortestShown) {
  // 1 -> 2 -> 3 -> 4 -> 1 by data; 3 -> 5 -> 3 by data and ctrl; 6 hangs on them.
  const auto check = check_nodes({make_node(1, COMP_NODE, {2}), make_node(2, COMP_NODE, {3}),
                                  make_node(3, COMP_NODE, {4, 5}), make_node(4, COMP_NODE, {1}),
                                  make_node(5, COMP_NODE, {}, {3}), make_node(6, COMP_NODE, {1})});
  EXPECT_EQ(first_place(check, CheckRule::kCycle), "node 3 waits for node 5 waits for node 3");
  EXPECT_NE(message_of(*check.find(CheckRule::kCycle)).find("5 nodes involved"), std::string::npos);
}

TEST(ChakraCheck, AShortCycleBehindALongOneIsFound) {
  std::vector<ChakraNode> nodes;
  for (std::uint64_t id = 1; id <= 1000; ++id)
    nodes.push_back(make_node(id, COMP_NODE, {id % 1000 + 1}));
  nodes[700].add_data_deps(699);  // 701 -> 699 -> 700 -> 701
  const auto check = check_nodes(nodes);
  EXPECT_EQ(first_place(check, CheckRule::kCycle),
            "node 699 waits for node 700 waits for node 701 waits for node 699");
}

TEST(ChakraCheck, ADeepChainIsNoCycle) {
  std::vector<ChakraNode> nodes;
  for (std::uint64_t id = 1; id <= 300'000; ++id) {
    ChakraNode node;
    node.set_id(id);
    node.set_type(COMP_NODE);
    if (id < 300'000) node.add_data_deps(id + 1);
    nodes.push_back(node);
  }
  EXPECT_TRUE(check_nodes(nodes).findings.empty());
}

TEST(ChakraCheck, ANodeThatWaitsForItselfIsItsOwnRule) {
  const auto check = check_nodes({make_node(4, COMP_NODE, {4})});
  EXPECT_EQ(first_place(check, CheckRule::kSelfDependency), "node 4");
  EXPECT_EQ(check.find(CheckRule::kCycle), nullptr);
}

TEST(ChakraCheck, TypesThatSimulatorsCannotRunAreFound) {
  const auto check = check_nodes({make_node(1, ChakraProtoMsg::INVALID_NODE),
                                  make_node(2, ChakraProtoMsg::METADATA_NODE),
                                  make_node(3, static_cast<ChakraProtoMsg::NodeType>(42)),
                                  make_node(4, ChakraProtoMsg::MEM_LOAD_NODE)});
  EXPECT_NE(check.find(CheckRule::kTypeInvalid), nullptr);
  EXPECT_NE(check.find(CheckRule::kTypeMetadata), nullptr);
  EXPECT_EQ(first_place(check, CheckRule::kTypeUnknown), "node 3 (node 3): type 42");
  EXPECT_EQ(first_place(check, CheckRule::kAttributeMissing), "node 4 (node 4): no tensor_size");
  EXPECT_EQ(severity_of(check.findings.back().rule), CheckSeverity::kWarning)
      << "errors come first";
}

TEST(ChakraCheck, CommunicationNodesNeedTheirAttributes) {
  const auto check = check_nodes(
      {make_node(1, COMM_COLL_NODE), make_node(2, COMM_SEND_NODE), make_node(3, COMM_RECV_NODE)});
  EXPECT_EQ(check.find(CheckRule::kAttributeMissing)->count, 2U + 3U + 3U);
  EXPECT_EQ(first_place(check, CheckRule::kAttributeMissing), "node 1 (node 1): no comm_type");
}

TEST(ChakraCheck, ValuesInTheWrongMemberAreFound) {
  ChakraNode narrow = collective(1, 0, 8);
  narrow.mutable_attr(1)->set_uint64_val(8);
  ChakraNode text = collective(2, 0, 8);
  text.mutable_attr(0)->set_string_val("ALL_REDUCE");
  ChakraNode group = collective(3, 0, 8);
  add(group, "pg_name")->set_int64_val(3);
  const auto check = check_nodes({narrow, text, group});
  EXPECT_EQ(first_place(check, CheckRule::kAttributeMember),
            "node 1 (node 1): comm_size should be int64_val");
  EXPECT_EQ(check.find(CheckRule::kAttributeType)->count, 2U);
  EXPECT_EQ(first_place(check, CheckRule::kAttributeType),
            "node 2 (node 2): comm_type should be int64_val");
}

TEST(ChakraCheck, CommunicationThatSimulatorsRefuseOrHangOnIsFound) {
  ChakraNode on_host = collective(1, ChakraProtoMsg::ALL_REDUCE, 8);
  add(on_host, "is_cpu_op")->set_bool_val(true);
  ChakraNode hashed = collective(2, ChakraProtoMsg::ALL_REDUCE, 8);
  add(hashed, "pg_name")->set_string_val("a3f");
  const auto check = check_nodes({on_host, hashed, collective(3, ChakraProtoMsg::ALL_GATHER, 0),
                                  collective(4, 17, 8), collective(5, ChakraProtoMsg::REDUCE, 8),
                                  collective(6, ChakraProtoMsg::BARRIER, 0)});
  EXPECT_EQ(first_place(check, CheckRule::kCommOnHost), "node 1 (node 1)");
  EXPECT_EQ(first_place(check, CheckRule::kPgNameNotDecimal), "node 2 (node 2): pg_name a3f");
  EXPECT_EQ(first_place(check, CheckRule::kCommSizeZero), "node 3 (node 3)");
  EXPECT_EQ(check.find(CheckRule::kCommSizeZero)->count, 1U);
  EXPECT_EQ(first_place(check, CheckRule::kCommTypeUnknown), "node 4 (node 4): comm_type 17");
  EXPECT_EQ(check.find(CheckRule::kCommTypeNotSimulated)->count, 2U);
}

TEST(ChakraCheck, ABrokenFileIsAFindingAndWhatCameBeforeIsCheckedAllTheSame) {
  ChakraFile file;
  file.nodes = {make_node(1, COMP_NODE, {5}), make_node(2, COMP_NODE)};
  const std::string bytes = frame(file);
  const auto check = check_bytes(bytes.substr(0, bytes.size() - 1));
  EXPECT_NE(first_place(check, CheckRule::kFraming).find("(message 3)"), std::string::npos);
  EXPECT_NE(check.find(CheckRule::kDanglingDataDep), nullptr);
  EXPECT_EQ(check.nodes, 1U);
}

TEST(ChakraCheck, AFileWithoutMetadataOrNodesIsFound) {
  const std::string bytes = frame({{}, {make_node(1, COMP_NODE)}}).substr(1);
  EXPECT_EQ(first_place(check_bytes(bytes), CheckRule::kMetadataMissing), "byte 0");
  EXPECT_EQ(check_bytes(bytes).nodes, 1U);
  EXPECT_NE(check_nodes({}).find(CheckRule::kNoNodes), nullptr);
  EXPECT_NE(check_bytes("").find(CheckRule::kFraming), nullptr);
}

TEST(ChakraCheck, AFileThatIsNotThereIsAnError) {
  EXPECT_THROW(check_chakra("/nowhere/x.et"), Error);
}

TEST(ChakraCheck, AFileCutAtAnyByteEndsInFindingsNotInACrash) {
  const std::string bytes = frame({{}, {collective(1, 0, 8), make_node(2, COMP_NODE, {1})}});
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_TRUE(check_bytes(bytes.substr(0, size)).has_errors() ||
                size == 1 + frame({{}, {collective(1, 0, 8)}}).size() - 1)
        << size;
}

}  // namespace
}  // namespace nadi
