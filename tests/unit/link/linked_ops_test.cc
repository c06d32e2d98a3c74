// The host ops of both traces in one table: times, order, nesting.
#include <gtest/gtest.h>

#include "tests/unit/link/trace_text.h"

namespace nadi {
namespace {

using namespace test;

std::string parent_of(const LinkedTrace& linked, const std::string& name) {
  for (std::uint32_t row = 0; row < linked.ops.size(); ++row)
    if (op_name(linked, row) == name) return op_name(linked, linked.ops.parent[row]);
  return "?";
}

TEST(Ops, OfOneStartAreInTheOrderOfTheirIdsElseTheLongerFirst) {
  EXPECT_EQ(parent_of(link({op("b", 5, 3, 2), op("a", 5, 3, 1)}), "b"), "a");
  EXPECT_EQ(parent_of(link({op("short", 5, 3), op("long", 5, 9)}), "short"), "long");
}

TEST(Ops, AnOpOfNoLengthIsNotAroundTheOneThatFollows) {
  EXPECT_EQ(parent_of(link({op("empty", 5, 0, 1), op("next", 5, 3, 2)}), "next"), "");
}

TEST(Ops, TheHostTracesParentCountsMoreThanTime) {
  // By time c lies in b; the host trace says both are children of a.
  const LinkedTrace linked = link({op("a", 0, 20, 1), op("b", 2, 8, 2), op("c", 4, 2, 3)},
                                  {node(2, "a", 1, 1), node(3, "b", 2, 2), node(4, "c", 2, 3)});
  EXPECT_EQ(parent_of(linked, "c"), "a");
}

TEST(Ops, H1_AParentThatIsNotThereLeavesTimeToTell) {
  const LinkedTrace linked =
      link({op("a", 0, 20, 1), op("b", 2, 8, 2)}, {node(2, "a", 1, 1), node(3, "b", 77, 2)});
  EXPECT_EQ(parent_of(linked, "b"), "a");
}

TEST(Ops, AnUntimedOpStandsAtTheNextTimedOpOfItsThread) {
  Lines events, nodes;
  for (int i = 1; i <= 10; ++i) {
    if (i != 4) events.push_back(op("a" + std::to_string(i), 10 * i, 5, i));
    nodes.push_back(node(1 + i, "a" + std::to_string(i), 1, i));
  }
  Diagnostics diagnostics;
  const LinkedTrace linked = link(events, nodes, "", &diagnostics);
  ASSERT_EQ(op_name(linked, 3), "a4");
  EXPECT_EQ(linked.ops.start_ns[3], 50000);
  EXPECT_EQ(linked.ops.duration_ns[3], 0);
  EXPECT_FALSE(linked.ops.profiler[3]);
  EXPECT_EQ(op_name(linked, 4), "a5");
  EXPECT_EQ(diagnostics.count(Finding::kUntimedOps), 1U);
}

TEST(Ops, AnOpOnlyTheProfilerKnowsIsThere) {
  Diagnostics diagnostics;
  const LinkedTrace linked = link({annotation("ProfilerStep#1", 0, 30), op("a", 2, 3, 1)},
                                  {node(2, "a", 1, 1)}, "", &diagnostics);
  ASSERT_EQ(linked.ops.size(), 2U);
  EXPECT_FALSE(linked.ops.host[0]);
  EXPECT_EQ(linked.ops.is_annotation[0], 1);
  EXPECT_EQ(parent_of(linked, "a"), "ProfilerStep#1");
  EXPECT_EQ(diagnostics.count(Finding::kProfilerOnlyOps), 1U);
}

}  // namespace
}  // namespace nadi
