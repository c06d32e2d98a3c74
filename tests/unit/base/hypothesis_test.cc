#include "nadi/base/hypothesis.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace nadi {
namespace {

TEST(Hypothesis, HasARowWithANameOfItsOwnAndAReason) {
  std::set<std::string_view> names;
  for (const HypothesisInfo& row : hypotheses()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.why.empty()) << row.name;
    EXPECT_TRUE(is_guess(row.inferred)) << row.name;
    EXPECT_EQ(&info(row.hypothesis), &row);
  }
}

TEST(Hypothesis, HoldsForAClassThatShowsItOftenEnough) {
  const Hypotheses all;
  EXPECT_TRUE(all.hold(Hypothesis::kLaunchesWait, {10, 9}));
  EXPECT_FALSE(all.hold(Hypothesis::kLaunchesWait, {9, 9}));
  EXPECT_FALSE(all.hold(Hypothesis::kLaunchesWait, {10, 8}));
}

TEST(Hypothesis, BearsContradictionsAsItsRowSays) {
  const Hypotheses all;
  EXPECT_TRUE(all.hold(Hypothesis::kForkInOp, {100, 0, 5}));
  EXPECT_FALSE(all.hold(Hypothesis::kForkInOp, {100, 0, 6}));
  EXPECT_FALSE(all.hold(Hypothesis::kHeldUpAtSites, {1'000, 0, 1}));
}

TEST(Hypothesis, DoesNotHoldWhereItMayBeChance) {
  const Hypotheses all;
  EXPECT_TRUE(all.hold(Hypothesis::kHeldUpInQueue, {4, 4, 0, std::log(1e-4)}));
  EXPECT_FALSE(all.hold(Hypothesis::kHeldUpInQueue, {4, 4, 0, std::log(1e-2)}));
}

TEST(Hypothesis, DoesNotHoldWhereItIsLeftOut) {
  const Hypotheses others = Hypotheses::without(Hypothesis::kForkInOp);
  EXPECT_FALSE(others.hold(Hypothesis::kForkInOp, {100}));
  EXPECT_FALSE(others.has(Hypothesis::kForkInOp));
  EXPECT_TRUE(others.hold(Hypothesis::kExchange, {100}));
}

}  // namespace
}  // namespace nadi
