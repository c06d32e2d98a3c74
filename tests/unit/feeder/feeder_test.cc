// Order, conditions and counts of nadi::Feeder.
#include "nadi/sim_bridge/feeder/feeder.h"

#include <gtest/gtest.h>

#include "graph_file.h"
#include "nadi/base/error.h"

namespace nadi::test {
namespace {

std::vector<std::uint64_t> ready_ids(const Feeder& feeder) {
  std::vector<std::uint64_t> ids;
  for (const std::uint64_t id : feeder.ready()) ids.push_back(id);
  return ids;
}

std::vector<std::uint64_t> run_in_order(Feeder& feeder) {
  std::vector<std::uint64_t> order;
  while (const auto id = feeder.next_ready()) {
    feeder.take(*id);
    feeder.finish(*id);
    order.push_back(*id);
  }
  return order;
}

TEST(Feeder, GivesReadyNodesByAscendingId) {
  const Folder folder;
  Feeder feeder(folder.write({{5}, {2}, {9, {5, 2}}, {1, {9}}, {70}}));
  EXPECT_EQ(list(ready_ids(feeder)), list({2, 5, 70}));
  EXPECT_EQ(list(run_in_order(feeder)), list({2, 5, 9, 1, 70}));
  EXPECT_TRUE(feeder.is_done());
}

TEST(Feeder, FinishingTellsWhatBecameReady) {
  const Folder folder;
  Feeder feeder(folder.write({{1}, {2}, {4, {1}}, {3, {1}}, {5, {1, 2}}}));
  feeder.take(1);
  feeder.take(2);
  EXPECT_EQ(list(feeder.finish(1)), list({3, 4}));
  EXPECT_EQ(list(feeder.finish(2)), list({5}));
  EXPECT_EQ(list(ready_ids(feeder)), list({3, 4, 5}));
}

TEST(Feeder, CountsNodesByCondition) {
  const Folder folder;
  Feeder feeder(folder.write({{1}, {2}, {3, {1, 2}}}));
  feeder.take(1);
  feeder.take(2);
  feeder.finish(1);
  EXPECT_EQ(feeder.size(), 3U);
  EXPECT_EQ(feeder.dependency_count(), 2U);
  EXPECT_EQ(feeder.ready_count(), 0U);
  EXPECT_EQ(feeder.taken_count(), 1U);
  EXPECT_EQ(feeder.finished_count(), 1U);
  EXPECT_TRUE(feeder.is_finished(1));
  EXPECT_TRUE(feeder.is_taken(2));
  EXPECT_FALSE(feeder.is_ready(3));
  EXPECT_FALSE(feeder.is_done());
}

TEST(Feeder, PutsATakenNodeBack) {
  const Folder folder;
  Feeder feeder(folder.write({{1}, {2}}));
  feeder.take(1);
  EXPECT_EQ(feeder.next_ready(), 2U);
  feeder.put_back(1);
  EXPECT_EQ(feeder.next_ready(), 1U);
  EXPECT_EQ(feeder.taken_count(), 0U);
}

TEST(Feeder, WaitsForDataAndCtrlDependenciesOnceEach) {
  const Folder folder;
  Feeder feeder(folder.write({{1}, {2}, {3, {1, 1}, {1, 2}}}));
  EXPECT_EQ(feeder.dependency_count(), 2U);
  EXPECT_EQ(list(run_in_order(feeder)), list({1, 2, 3}));
}

TEST(Feeder, WaitsOnlyForTheDependenciesAskedFor) {
  const Folder folder;
  const std::string path = folder.write({{1}, {2, {}, {1}}, {3, {2}}});
  EXPECT_EQ(list(ready_ids(Feeder(path))), list({1}));
  EXPECT_EQ(list(ready_ids(Feeder(path, {.ctrl_deps = false}))), list({1, 2}));
  EXPECT_EQ(list(ready_ids(Feeder(path, {.data_deps = false}))), list({1, 3}));
}

TEST(Feeder, IgnoresBrokenCtrlDependenciesWhereTheyDoNotCount) {
  const Folder folder;
  const std::string path = folder.write({{1, {}, {99, 2}}, {2, {1}}});
  EXPECT_THROW(Feeder{path}, Error);
  Feeder feeder(path, {.ctrl_deps = false});
  EXPECT_EQ(list(run_in_order(feeder)), list({1, 2}));
}

TEST(Feeder, RefusesStepsOutOfOrder) {
  const Folder folder;
  Feeder feeder(folder.write({{1}, {2, {1}}}));
  EXPECT_PRED2(says, message_of([&] { feeder.take(2); }), "node 2: waits for other nodes");
  EXPECT_PRED2(says, message_of([&] { feeder.finish(1); }), "node 1: is ready, but not taken");
  EXPECT_PRED2(says, message_of([&] { feeder.put_back(1); }), "is ready, but not taken");
  feeder.take(1);
  EXPECT_PRED2(says, message_of([&] { feeder.take(1); }), "is taken already");
  feeder.finish(1);
  EXPECT_PRED2(says, message_of([&] { feeder.finish(1); }), "is finished already");
  EXPECT_PRED2(says, message_of([&] { feeder.lookup(3); }), "node 3: is no node of the graph");
  feeder.take(2);  // nothing above has changed anything
  feeder.finish(2);
  EXPECT_TRUE(feeder.is_done());
}

TEST(Feeder, TakingWhileGoingThroughTheReadyOnesSkipsNone) {
  const Folder folder;
  std::vector<NodeSpec> nodes;
  for (std::uint64_t id = 1; id <= 500; ++id) nodes.push_back({id * 3});
  Feeder feeder(folder.write(nodes));
  std::vector<std::uint64_t> order;
  for (const std::uint64_t id : feeder.ready()) {
    feeder.take(id);
    order.push_back(id);
  }
  EXPECT_EQ(order.size(), 500U);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
  EXPECT_TRUE(ready_ids(feeder).empty());
}

TEST(Feeder, RowsAreThePlacesOfIdsInAscendingOrder) {
  const Folder folder;
  const Feeder feeder(folder.write({{30, {10}}, {10}, {~0ULL, {10}}}));
  EXPECT_EQ(feeder.row(10), 0U);
  EXPECT_EQ(feeder.row(~0ULL), 2U);
  EXPECT_EQ(feeder.id_of_row(1), 30U);
  EXPECT_EQ(list(feeder.dependent_rows(10)), list({1, 2}));
  EXPECT_FALSE(feeder.contains(20));
}

TEST(Feeder, LooksNodesUpInAnyOrderAndAnyState) {
  const Folder folder;
  Feeder feeder(folder.write({{8}, {3, {8}}, {5}}));
  EXPECT_EQ(feeder.lookup(5).name(), "node5");
  EXPECT_EQ(feeder.lookup(3).name(), "node3");
  EXPECT_EQ(list(feeder.lookup(3).data_deps()), list({8}));
  feeder.take(8);
  EXPECT_EQ(feeder.lookup(8).name(), "node8");
  feeder.finish(8);
  EXPECT_EQ(feeder.lookup(8).name(), "node8");
}

TEST(Feeder, NodesOutliveTheFeeder) {
  const Folder folder;
  auto feeder = std::make_unique<Feeder>(folder.write({{1}}));
  const FeederNode node = feeder->lookup(1);
  feeder.reset();
  EXPECT_EQ(node.name(), "node1");
  EXPECT_PRED2(says, message_of([&] { node.attribute_int("x"); }), "graph.0.et, node 1");
}

TEST(Feeder, KeepsTheMetadata) {
  const Folder folder;
  EXPECT_EQ(Feeder(folder.write({{1}})).metadata().version(), "0.0.4");
}

}  // namespace
}  // namespace nadi::test
