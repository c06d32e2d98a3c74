// Lowered collectives: what one member sends its partner receives, and everybody gets everything.
#include "nadi/sim_bridge/goal/lowering.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>

#include "et_def.pb.h"

namespace nadi::goal {
namespace {

using namespace ChakraProtoMsg;

std::vector<std::vector<Step>> lower_all(std::int64_t type, std::int64_t bytes,
                                         std::int64_t members, Algorithm algorithm) {
  std::vector<std::vector<Step>> all;
  for (std::int64_t member = 0; member < members; ++member)
    all.push_back(lower_collective(type, bytes, members, member, algorithm));
  return all;
}

class Lowering : public testing::TestWithParam<std::tuple<CollectiveCommType, int>> {};

TEST_P(Lowering, EachMessageHasASenderAndAReceiverInTheSameStep) {
  const auto [type, members] = GetParam();
  for (const Algorithm algorithm : {Algorithm::kRing, Algorithm::kDoubling})
    for (const std::int64_t bytes : {std::int64_t{0}, std::int64_t{1000}, std::int64_t{1} << 40,
                                     std::numeric_limits<std::int64_t>::max()}) {
      const auto all = lower_all(type, bytes, members, algorithm);
      for (std::size_t m = 0; m < all.size(); ++m) {
        ASSERT_EQ(all[m].size(), all[0].size());
        ASSERT_FALSE(all[m].empty());
        for (std::size_t s = 0; s < all[m].size(); ++s) {
          const Step& step = all[m][s];
          if (step.to == Step::kNobody) continue;
          ASSERT_NE(step.to, static_cast<std::int64_t>(m));
          const Step& other = all[static_cast<std::size_t>(step.to)][s];
          EXPECT_EQ(other.from, static_cast<std::int64_t>(m));
          EXPECT_EQ(other.receives, step.sends);
          EXPECT_GE(step.sends, 1);
        }
      }
    }
}

TEST(Lowering, DoublingMovesAllPartsAndItsStepsAreFoundWithoutCountingMembers) {
  for (const std::int64_t bytes : {7, 100}) {
    const auto all = lower_all(REDUCE_SCATTER, bytes, 7, Algorithm::kDoubling);
    for (std::size_t member = 0; member < all.size(); ++member) {
      std::int64_t sent = 0;
      for (const Step& step : all[member]) sent += step.sends;
      const std::int64_t own = bytes / 7 + (static_cast<std::int64_t>(member) < bytes % 7 ? 1 : 0);
      EXPECT_EQ(sent, bytes - own);
    }
  }
  for (const std::int64_t type : {std::int64_t{ALL_GATHER}, std::int64_t{ALL_TO_ALL}})
    EXPECT_EQ(lower_collective(type, 1000, std::int64_t{1} << 40, 5, Algorithm::kDoubling).size(),
              40U);
}

/// Members whose data has reached each member, if every message carries all its sender knows.
std::vector<std::set<std::int64_t>> spread(const std::vector<std::vector<Step>>& all) {
  std::vector<std::set<std::int64_t>> known(all.size());
  for (std::size_t m = 0; m < all.size(); ++m) known[m] = {static_cast<std::int64_t>(m)};
  for (std::size_t s = 0; s < all[0].size(); ++s) {
    const auto before = known;
    for (std::size_t m = 0; m < all.size(); ++m)
      if (const std::int64_t from = all[m][s].from; from != Step::kNobody)
        known[m].insert(before[static_cast<std::size_t>(from)].begin(),
                        before[static_cast<std::size_t>(from)].end());
  }
  return known;
}

TEST_P(Lowering, WhoNeedsDataOfAMemberCanHaveIt) {
  const auto [type, members] = GetParam();
  for (const Algorithm algorithm : {Algorithm::kRing, Algorithm::kDoubling}) {
    const auto known = spread(lower_all(type, 1000, members, algorithm));
    for (std::int64_t m = 0; m < members; ++m) {
      const bool from_root = type == BROADCAST || type == SCATTER;
      const bool to_root = type == REDUCE || type == GATHER;
      EXPECT_TRUE(!from_root || known[static_cast<std::size_t>(m)].contains(0));
      EXPECT_TRUE(!to_root || known[0].contains(m));
      if (!from_root && !to_root) {
        EXPECT_EQ(std::ssize(known[static_cast<std::size_t>(m)]), members);
      }
    }
  }
}

std::string lowering_name(const testing::TestParamInfo<Lowering::ParamType>& test) {
  const auto [type, members] = test.param;
  return CollectiveCommType_Name(type) + "_of_" + std::to_string(members);
}

INSTANTIATE_TEST_SUITE_P(
    All, Lowering,
    testing::Combine(testing::Values(ALL_REDUCE, REDUCE, ALL_GATHER, GATHER, SCATTER, BROADCAST,
                                     ALL_TO_ALL, REDUCE_SCATTER, REDUCE_SCATTER_BLOCK, BARRIER),
                     testing::Values(2, 3, 4, 5, 7, 8, 13)),
    lowering_name);

std::int64_t sent(const std::vector<Step>& steps) {
  std::int64_t bytes = 0;
  for (const Step& step : steps) bytes += step.sends;
  return bytes;
}

TEST(LoweringBytes, AreWhatTheAlgorithmsAreKnownToMove) {
  // 4 members, 4000 bytes.
  EXPECT_EQ(sent(lower_collective(ALL_REDUCE, 4000, 4, 1, Algorithm::kRing)), 6000);  // 2 3/4 S
  EXPECT_EQ(sent(lower_collective(ALL_REDUCE, 4000, 4, 1, Algorithm::kDoubling)),
            8000);  // log2 p S
  EXPECT_EQ(sent(lower_collective(ALL_GATHER, 1000, 4, 1, Algorithm::kRing)), 3000);
  EXPECT_EQ(sent(lower_collective(ALL_GATHER, 1000, 4, 1, Algorithm::kDoubling)), 3000);
  EXPECT_EQ(sent(lower_collective(REDUCE_SCATTER, 4000, 4, 1, Algorithm::kRing)), 3000);
  EXPECT_EQ(sent(lower_collective(ALL_TO_ALL, 4000, 4, 1, Algorithm::kRing)), 3000);
  EXPECT_EQ(sent(lower_collective(ALL_TO_ALL, 4000, 4, 1, Algorithm::kDoubling)), 4000);
  EXPECT_EQ(sent(lower_collective(BROADCAST, 4000, 4, 0, Algorithm::kRing)), 4000);
  EXPECT_EQ(sent(lower_collective(BROADCAST, 4000, 4, 0, Algorithm::kDoubling)), 8000);
  EXPECT_EQ(sent(lower_collective(SCATTER, 1000, 4, 0, Algorithm::kDoubling)), 3000);
}

TEST(LoweringSteps, AreFewWithDoublingAndManyWithTheRing) {
  EXPECT_EQ(lower_collective(ALL_REDUCE, 64, 8, 0, Algorithm::kDoubling).size(), 3U);
  EXPECT_EQ(lower_collective(ALL_REDUCE, 64, 8, 0, Algorithm::kRing).size(), 14U);
  EXPECT_EQ(choose_algorithm(Algorithm::kAuto, 65535, 65536), Algorithm::kDoubling);
  EXPECT_EQ(choose_algorithm(Algorithm::kAuto, 65536, 65536), Algorithm::kRing);
  EXPECT_TRUE(lower_collective(99, 64, 8, 0, Algorithm::kRing).empty());
}

}  // namespace
}  // namespace nadi::goal
