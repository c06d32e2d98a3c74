// Places, groups and the order of micro-batches.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "nadi/converters/generate/job_layout.h"
#include "nadi/converters/generate/step_schedule.h"

namespace nadi {
namespace {

TEST(JobLayout, NeighboursShareATensorThenReplicateThenFollowInThePipeline) {
  const JobLayout layout({.data = 2, .tensor = 2, .pipeline = 3});
  const RankPlace place = layout.place_of(7);  // 7 = (stage 1 * 2 + data 1) * 2 + tensor 1
  EXPECT_EQ(place.stage, 1);
  EXPECT_EQ(place.data, 1);
  EXPECT_EQ(place.tensor, 1);
  for (std::int64_t rank = 0; rank < layout.ranks(); ++rank)
    EXPECT_EQ(layout.rank_at(layout.place_of(rank)), rank);
}

std::string members(const RankGroup& group) {
  std::string text;
  for (std::int64_t i = 0; i < group.size; ++i)
    text += (i == 0 ? "" : " ") + std::to_string(group.first + i * group.stride);
  return text;
}

TEST(JobLayout, GroupsHoldWhoSharesWhat) {
  const JobLayout layout({.data = 4, .tensor = 2, .pipeline = 2, .expert = 2});
  const RankPlace place = layout.place_of(13);  // stage 1, data 2, tensor 1
  EXPECT_EQ(members(layout.tensor_group(place)), "12 13");
  EXPECT_EQ(members(layout.data_group(place)), "9 11 13 15");
  EXPECT_EQ(members(layout.expert_group(place)), "13 15");
  EXPECT_EQ(members(layout.expert_data_group(place)), "9 13");
}

TEST(JobLayout, EveryRankIsInTheGroupsItNamesAndNumbersHaveNoHoles) {
  for (const ParallelDegrees degrees :
       {ParallelDegrees{4, 2, 2, 2}, ParallelDegrees{8, 1, 1, 4}, ParallelDegrees{3, 4, 5, 1},
        ParallelDegrees{4, 1, 3, 4}, ParallelDegrees{1, 1, 1, 1}}) {
    const JobLayout layout(degrees);
    std::map<std::int64_t, std::string> told;
    layout.for_each_group([&](const RankGroup& group) {
      EXPECT_TRUE(told.emplace(group.number, members(group)).second) << group.number;
    });
    EXPECT_EQ(std::ssize(told), layout.group_count());
    if (!told.empty()) {
      EXPECT_EQ(told.rbegin()->first, layout.group_count());
    }
    for (std::int64_t rank = 0; rank < layout.ranks(); ++rank) {
      const RankPlace place = layout.place_of(rank);
      for (const RankGroup& group : {layout.tensor_group(place), layout.data_group(place),
                                     layout.expert_group(place), layout.expert_data_group(place)}) {
        const std::string own = " " + members(group) + " ";
        EXPECT_NE(own.find(" " + std::to_string(rank) + " "), std::string::npos);
        if (group.number > 0) {
          EXPECT_EQ(told[group.number], members(group));
        }
      }
    }
  }
}

TEST(JobLayout, AGroupOfAllRanksHasNoNumber) {
  const JobLayout layout({.data = 8});
  EXPECT_EQ(layout.group_count(), 0);
  EXPECT_EQ(layout.data_group({}).number, 0);
  EXPECT_EQ(layout.data_group({}).size, 8);
  EXPECT_EQ(layout.groups_json({}), R"({"0":{"desc":"data","ranks":[],"size":8}})");
}

TEST(JobLayout, TheMetadataNamesTheMembersOfSmallGroups) {
  const JobLayout layout({.data = 100, .tensor = 2});
  EXPECT_EQ(layout.groups_json(layout.place_of(5)),
            R"({"3":{"desc":"tensor","ranks":[4,5],"size":2},)"
            R"("102":{"desc":"data","ranks":[],"size":100}})");
}

std::string schedule(std::int64_t stage, std::int64_t stages, std::int64_t micro_batches) {
  std::string text;
  for (std::int64_t i = 0; i < 2 * micro_batches; ++i) {
    const StageAction action = action_of(i, stage, stages, micro_batches);
    text += (i == 0 ? "" : " ") + std::string(action.is_forward ? "F" : "B") +
            std::to_string(action.micro_batch);
  }
  return text;
}

TEST(StepSchedule, StagesRunOneForwardOneBackward) {
  EXPECT_EQ(schedule(0, 4, 6), "F0 F1 F2 F3 B0 F4 B1 F5 B2 B3 B4 B5");
  EXPECT_EQ(schedule(1, 4, 6), "F0 F1 F2 B0 F3 B1 F4 B2 F5 B3 B4 B5");
  EXPECT_EQ(schedule(3, 4, 6), "F0 B0 F1 B1 F2 B2 F3 B3 F4 B4 F5 B5");
}

TEST(StepSchedule, FewMicroBatchesAreAllInFlight) {
  EXPECT_EQ(schedule(0, 8, 2), "F0 F1 B0 B1");
  EXPECT_EQ(schedule(6, 8, 2), "F0 F1 B0 B1");
  EXPECT_EQ(schedule(0, 1, 3), "F0 B0 F1 B1 F2 B2");
}

}  // namespace
}  // namespace nadi
