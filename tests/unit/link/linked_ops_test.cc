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

}  // namespace
}  // namespace nadi
