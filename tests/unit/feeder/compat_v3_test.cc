// Behaviour of Chakra's FeederV3 interface; its signatures are kept by tests/examples/compat.
#include <gtest/gtest.h>

#include <stdexcept>

#include "graph_file.h"
#include "nadi/sim_bridge/feeder/compat/feeder_v3/et_feeder.h"

namespace nadi::test {
namespace {

using Chakra::FeederV3::ETFeeder;
using Chakra::FeederV3::ETFeederNode;

TEST(FeederV3, FreeAndOngoingNodesFollowTakingAndFinishing) {
  const Folder folder;
  ETFeeder feeder(folder.write({{1}, {2}, {3, {1}, {2}}}));
  auto& resolver = feeder.getDependancyResolver();
  EXPECT_EQ(resolver.get_dependancy_free_nodes(), (std::unordered_set<std::uint64_t>{1, 2}));
  resolver.take_node(1);
  resolver.take_node(2);
  EXPECT_TRUE(resolver.get_dependancy_free_nodes().empty());
  EXPECT_EQ(resolver.get_ongoing_nodes(), (std::unordered_set<std::uint64_t>{1, 2}));
  resolver.finish_node(1);
  EXPECT_TRUE(resolver.get_dependancy_free_nodes().empty());  // 2 is a ctrl dependency
  resolver.finish_node(2);
  EXPECT_EQ(resolver.get_dependancy_free_nodes(), std::unordered_set<std::uint64_t>{3});
  EXPECT_TRUE(resolver.get_ongoing_nodes().empty());
}

TEST(FeederV3, MetadataNodesAreFedWithTheirValuesAsOthersAre) {
  const Folder folder;
  const std::string groups = "['[{\"pg_name\": \"1\", \"ranks\": [0, 1]}]']";
  ETFeeder feeder(folder.write({{1,
                                 {},
                                 {},
                                 [&](Node& node) {
                                   node.set_name("## process_group:init ##");
                                   node.set_type(ChakraProtoMsg::METADATA_NODE);
                                   node.mutable_inputs()->set_values(groups);
                                 }},
                                {2, {1}}}));
  const auto node = feeder.lookupNode(1);
  EXPECT_EQ(node->type(), ChakraProtoMsg::METADATA_NODE);
  EXPECT_EQ(node->get_inputs_values(), groups);
  const auto message = node->get_chakra_node();
  EXPECT_EQ(message->name(), "## process_group:init ##");
  EXPECT_EQ(node->get_chakra_node(), message);
  feeder.getDependancyResolver().take_node(1);
  feeder.getDependancyResolver().finish_node(1);
  EXPECT_EQ(feeder.getDependancyResolver().get_dependancy_free_nodes(),
            std::unordered_set<std::uint64_t>{2});
}

TEST(FeederV3, TakesFreeAndFinishesTakenNodesOnly) {
  const Folder folder;
  ETFeeder feeder(folder.write({{1}, {2, {1}}}));
  auto& resolver = feeder.getDependancyResolver();
  EXPECT_THROW(resolver.take_node(2), std::runtime_error);
  EXPECT_THROW(resolver.finish_node(1), std::runtime_error);
  EXPECT_THROW(feeder.lookupNode(3), std::runtime_error);
  resolver.take_node(1);
  EXPECT_THROW(resolver.take_node(1), std::runtime_error);
  resolver.push_back_node(1);
  resolver.take_node(1);
  resolver.finish_node(1);
  EXPECT_THROW(resolver.finish_node(1), std::runtime_error);
}

TEST(FeederV3, TakesANodeByAReferenceIntoTheFreeSet) {
  const Folder folder;
  ETFeeder feeder(folder.write({{7}}));
  auto& resolver = feeder.getDependancyResolver();
  resolver.take_node(*resolver.get_dependancy_free_nodes().begin());
  resolver.finish_node(*resolver.get_ongoing_nodes().begin());
  EXPECT_TRUE(resolver.get_ongoing_nodes().empty());
}

TEST(FeederV3, TheConstructorRefusesABrokenGraph) {
  const Folder folder;
  EXPECT_PRED2(says, message_of([&] {
                 ETFeeder(folder.write({{1, {}, {9}}}));
               }),
               "node 1 waits for 9 (ctrl_deps)");
  EXPECT_THROW(ETFeeder(folder / "absent.et"), std::runtime_error);
}

TEST(FeederV3, AttributesConvertFromAnyIntegerMember) {
  const Folder folder;
  ETFeeder feeder(folder.write({{1, {}, {}, [](Node& node) {
                                   node.set_duration_micros(12);
                                   node.mutable_inputs()->set_values("[3]");
                                   add_attribute(node, "is_cpu_op").set_int32_val(1);
                                   add_attribute(node, "comm_size").set_int64_val(1LL << 40);
                                   add_attribute(node, "comm_type").set_uint32_val(2);
                                   add_attribute(node, "comm_tag").set_sint32_val(5);
                                   add_attribute(node, "pg_name").set_string_val("3");
                                   add_attribute(node, "num_ops").set_double_val(3);
                                   add_attribute(node, "ratio").set_float_val(0.5F);
                                 }}}));
  const std::shared_ptr<ETFeederNode> node = feeder.lookupNode(1);
  EXPECT_EQ(node->id(), 1U);
  EXPECT_EQ(node->name(), "node1");
  EXPECT_EQ(node->type(), ChakraProtoMsg::COMP_NODE);
  EXPECT_EQ(node->runtime(), 12U);
  EXPECT_EQ(node->get_inputs_values(), "[3]");
  EXPECT_EQ(node->get_outputs_values("none"), "none");
  EXPECT_TRUE(node->is_cpu_op());
  EXPECT_EQ(node->is_cpu_op<int>(), 1);
  EXPECT_EQ(node->comm_size(), 1ULL << 40);
  EXPECT_EQ(node->comm_size<std::uint32_t>(), 0U);
  EXPECT_EQ(node->comm_type(), ChakraProtoMsg::ALL_GATHER);
  EXPECT_EQ(node->comm_type<int>(), 2);
  EXPECT_EQ(node->comm_tag<std::uint64_t>(9), 5U);
  EXPECT_EQ(node->pg_name<std::string>(), "3");
  EXPECT_EQ(node->get_attr<double>("ratio"), 0.5);
  EXPECT_EQ(node->get_attr<std::int64_t>("absent", -2), -2);
  EXPECT_TRUE(node->has_attr("ratio"));
  EXPECT_FALSE(node->has_attr("absent"));
  EXPECT_EQ(node->get_attr_msg("comm_tag").sint32_val(), 5);
  EXPECT_PRED2(says, message_of([&] { node->num_ops(); }),
               "graph.0.et, node 1 (node1): attribute num_ops has the member double_val");
  EXPECT_THROW(node->get_attr<std::string>("comm_size"), std::runtime_error);
  EXPECT_THROW(node->get_attr<int>("pg_name"), std::runtime_error);
}

TEST(FeederV3, OnlyIsCpuOpAndPriorityHaveValuesWhenAbsent) {
  const Folder folder;
  ETFeeder feeder(folder.write({{1}}));
  const auto node = feeder.lookupNode(1);
  EXPECT_FALSE(node->is_cpu_op());
  EXPECT_FALSE(node->is_cpu_op<bool>());
  EXPECT_TRUE(node->is_cpu_op<bool>(true));
  EXPECT_EQ(node->comm_priority<int>(), 0);
  EXPECT_THROW(node->num_ops<std::uint64_t>(), std::runtime_error);
  EXPECT_THROW(node->tensor_size(), std::runtime_error);
  EXPECT_THROW(node->comm_type<int>(), std::runtime_error);
  EXPECT_THROW(node->comm_src(), std::runtime_error);
  EXPECT_EQ(node->comm_src(4U), 4U);
  EXPECT_THROW(node->get_attr_msg("comm_size"), std::runtime_error);
}

TEST(FeederV3, ATextAsIsCpuOpIsAnErrorForThoseWhoAsk) {
  const Folder folder;
  ETFeeder feeder(folder.write(
      {{1, {}, {}, [](Node& node) { add_attribute(node, "is_cpu_op").set_string_val("true"); }}}));
  const auto node = feeder.lookupNode(1);
  EXPECT_EQ(node->id(), 1U);
  EXPECT_THROW(node->is_cpu_op(), std::runtime_error);
  EXPECT_THROW(node->is_cpu_op<bool>(false), std::runtime_error);
}

TEST(FeederV3, OfSeveralAttributesOfOneNameTheFirstCounts) {
  const Folder folder;
  ETFeeder feeder(folder.write({{1, {}, {}, [](Node& node) {
                                   add_attribute(node, "is_cpu_op").set_bool_val(true);
                                   add_attribute(node, "is_cpu_op").set_bool_val(false);
                                   add_attribute(node, "comm_size").set_int64_val(1);
                                   add_attribute(node, "comm_size").set_int64_val(2);
                                 }}}));
  const auto node = feeder.lookupNode(1);
  EXPECT_TRUE(node->is_cpu_op());
  EXPECT_TRUE(node->is_cpu_op<bool>());
  EXPECT_TRUE(node->get_attr<bool>("is_cpu_op"));
  EXPECT_EQ(node->comm_size(), 1U);
}

TEST(FeederV3, ErrorsShowLongNamesInWholeCharacters) {
  const Folder folder;
  const std::string shown(199, 'x');
  ETFeeder feeder(
      folder.write({{1, {}, {}, [&](Node& node) { node.set_name(shown + "\u00e9"); }}}));
  EXPECT_PRED2(says, message_of([&] { feeder.lookupNode(1)->num_ops(); }),
               "node 1 (" + shown + "): has no attribute num_ops");
}

TEST(FeederV3, TheOlderCallsRunTheGraphLowestIdFirst) {
  const Folder folder;
  ETFeeder feeder(folder.write({{4}, {2}, {3, {2}}}));
  EXPECT_EQ(feeder.global_metadata.version(), "0.0.4");
  std::vector<std::uint64_t> order;
  while (feeder.hasNodesToIssue()) {
    const auto node = feeder.getNextIssuableNode();
    order.push_back(node->id());
    feeder.freeChildrenNodes(node->id());
    feeder.removeNode(node->id());
  }
  EXPECT_EQ(order, list({2, 3, 4}));
  EXPECT_EQ(feeder.getNextIssuableNode(), nullptr);
  EXPECT_THROW(feeder.addNode(nullptr), std::runtime_error);
}

}  // namespace
}  // namespace nadi::test
