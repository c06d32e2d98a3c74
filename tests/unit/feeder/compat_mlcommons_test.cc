// Behaviour of MLCommons' older feeder interface; its signatures are kept by tests/examples/compat.
#include <gtest/gtest.h>

#include <stdexcept>

#include "graph_file.h"
#include "nadi/sim_bridge/feeder/compat/feeder/et_feeder.h"

namespace nadi::test {
namespace {

using Chakra::ETFeeder;
using Chakra::ETFeederNode;

std::shared_ptr<ETFeederNode> own_node(std::uint64_t id, std::vector<std::uint64_t> data_deps) {
  auto message = std::make_shared<Node>();
  message->set_id(id);
  for (const std::uint64_t parent : data_deps) message->add_data_deps(parent);
  return std::make_shared<ETFeederNode>(message);
}

std::vector<std::uint64_t> run(ETFeeder& feeder) {
  std::vector<std::uint64_t> order;
  while (feeder.hasNodesToIssue()) {
    const auto node = feeder.getNextIssuableNode();
    if (node == nullptr) break;
    order.push_back(node->id());
    feeder.freeChildrenNodes(node->id());
    feeder.removeNode(node->id());
  }
  return order;
}

TEST(MlcommonsFeeder, WaitsForDataDependenciesOnlyAndIssuesTheLowestId) {
  const Folder folder;
  ETFeeder feeder(folder.write({{5}, {1, {5}}, {2, {}, {5, 99}}}));
  EXPECT_EQ(run(feeder), list({2, 5, 1}));
  EXPECT_FALSE(feeder.hasNodesToIssue());
}

TEST(MlcommonsFeeder, HasNodesUntilTheLastIsRemoved) {
  const Folder folder;
  ETFeeder feeder(folder.write({{1}, {2, {1}}}));
  const auto first = feeder.getNextIssuableNode();
  EXPECT_EQ(feeder.getNextIssuableNode(), nullptr);
  EXPECT_TRUE(feeder.hasNodesToIssue());
  feeder.freeChildrenNodes(1);
  feeder.removeNode(1);
  feeder.removeNode(1);
  EXPECT_TRUE(feeder.hasNodesToIssue());
  EXPECT_EQ(feeder.getNextIssuableNode()->id(), 2U);
  feeder.freeChildrenNodes(2);
  EXPECT_TRUE(feeder.hasNodesToIssue());
  feeder.removeNode(2);
  EXPECT_FALSE(feeder.hasNodesToIssue());
}

TEST(MlcommonsFeeder, ANodeStaysTheSameObjectUntilItIsRemoved) {
  const Folder folder;
  ETFeeder feeder(folder.write({{1}, {2, {1}}}));
  const auto node = feeder.lookupNode(1);
  EXPECT_EQ(feeder.getNextIssuableNode(), node);
  feeder.pushBackIssuableNode(1);
  EXPECT_EQ(feeder.getNextIssuableNode(), node);
  EXPECT_EQ(node->getChildren().at(0), feeder.lookupNode(2));
  feeder.freeChildrenNodes(1);
  feeder.removeNode(1);
  EXPECT_PRED2(says, message_of([&] { feeder.lookupNode(1); }), "node 1: is removed");
  EXPECT_THROW(feeder.lookupNode(7), std::runtime_error);
  EXPECT_THROW(feeder.freeChildrenNodes(2), std::runtime_error);
}

TEST(MlcommonsFeeder, NodesOfTheCallersOwnJoinTheGraph) {
  const Folder folder;
  ETFeeder feeder(folder.write({{5}, {6, {5}}}));
  feeder.addNode(own_node(1, {5}));
  feeder.addNode(own_node(9, {1, 6}));
  feeder.addNode(own_node(4, {}));
  EXPECT_EQ(run(feeder), list({4, 5, 1, 6, 9}));
}

TEST(MlcommonsFeeder, ReadsTheNodesOneAfterTheOther) {
  const Folder folder;
  ETFeeder feeder(folder.write({{5}, {6, {5}}}));
  EXPECT_EQ(feeder.readNode()->id(), 5U);
  EXPECT_EQ(feeder.readNode()->id(), 6U);
  EXPECT_EQ(feeder.readNode(), nullptr);
  EXPECT_EQ(run(feeder), list({5, 6}));
}

TEST(MlcommonsFeeder, AttributesAreZeroWhenAbsentAndNeverMisread) {
  const Folder folder;
  ETFeeder feeder(folder.write({{1}, {2, {}, {}, [](Node& node) {
                                        add_attribute(node, "is_cpu_op").set_bool_val(false);
                                        add_attribute(node, "comm_size").set_uint64_val(7);
                                        add_attribute(node, "num_ops").set_float_val(7);
                                        add_attribute(node, "pg_name").set_string_val("2");
                                      }}}));
  const auto bare = feeder.lookupNode(1), full = feeder.lookupNode(2);
  EXPECT_TRUE(bare->is_cpu_op());
  EXPECT_EQ(bare->comm_size(), 0U);
  EXPECT_EQ(bare->pg_name(), "");
  EXPECT_FALSE(full->is_cpu_op());
  EXPECT_EQ(full->comm_size(), 7U);
  EXPECT_EQ(full->pg_name(), "2");
  EXPECT_PRED2(says, message_of([&] { full->num_ops(); }),
               "node 2 (node2): attribute num_ops has the member float_val");
  EXPECT_TRUE(full->has_other_attr("num_ops"));
  EXPECT_THROW(bare->get_other_attr("num_ops"), std::runtime_error);
}

TEST(MlcommonsFeeder, OfSeveralAttributesOfOneNameTheLastCounts) {
  const Folder folder;
  ETFeeder feeder(folder.write({{1, {}, {}, [](Node& node) {
                                   add_attribute(node, "comm_size").set_int64_val(1);
                                   add_attribute(node, "comm_size").set_int64_val(2);
                                 }}}));
  EXPECT_EQ(feeder.lookupNode(1)->comm_size(), 2U);
}

TEST(MlcommonsFeeder, ErrorsShowLongNamesInWholeCharacters) {
  const Folder folder;
  const std::string shown(199, 'x');
  ETFeeder feeder(
      folder.write({{1, {}, {}, [&](Node& node) { node.set_name(shown + "\u00e9"); }}}));
  EXPECT_PRED2(says, message_of([&] { feeder.lookupNode(1)->get_other_attr("absent"); }),
               "node 1 (" + shown + "): has no attribute absent");
}

TEST(MlcommonsFeeder, UnresolvedParentsAreKeptForTheCaller) {
  const auto node = own_node(1, {});
  node->addDepUnresolvedParentID(4);
  EXPECT_EQ(node->getDepUnresolvedParentIDs(), list({4}));
  node->setDepUnresolvedParentIDs({5, 6});
  EXPECT_EQ(node->getDepUnresolvedParentIDs(), list({5, 6}));
  node->addChild(own_node(2, {1}));
  EXPECT_EQ(node->getChildren().size(), 1U);
}

}  // namespace
}  // namespace nadi::test
