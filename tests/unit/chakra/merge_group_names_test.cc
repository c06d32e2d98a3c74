// Which names of groups stand for each other.
#include "nadi/chakra/groups.h"

#include <gtest/gtest.h>

#include <chrono>

namespace nadi {
namespace {

using Names = std::vector<std::vector<std::string>>;

/// Names after uniting, by graph; all groups are of ranks 0, 1 and 2.
Names merged(const Names& names) {
  std::vector<std::vector<UsedGroup>> used;
  for (const auto& of_graph : names) {
    used.emplace_back();
    for (const std::string& name : of_graph) used.back().push_back({{0, 1, 2}, name});
  }
  merge_group_names(used);
  Names result;
  for (const auto& of_graph : used) {
    result.emplace_back();
    for (const UsedGroup& group : of_graph) result.back().push_back(group.name);
  }
  return result;
}

TEST(MergeGroupNames, AddressesBecomeTheFirstGraphsInTheOrderOfFirstUse) {
  EXPECT_EQ(merged({{"100", "200"}, {"310", "320"}, {"999", "444"}}),
            (Names{{"100", "200"}, {"100", "200"}, {"100", "200"}}));
}

TEST(MergeGroupNames, NamesThatAllGraphsHaveStandForThemselves) {
  EXPECT_EQ(merged({{"a", "b"}, {"b", "a"}, {"a", "b"}}),
            (Names{{"a", "b"}, {"b", "a"}, {"a", "b"}}));
  EXPECT_EQ(merged({{"all", "100"}, {"310", "all"}, {"all", "999"}}),
            (Names{{"all", "100"}, {"100", "all"}, {"all", "100"}}));
}

TEST(MergeGroupNames, RealNamesOfCutTracesStay) {
  EXPECT_EQ(merged({{"a", "b"}, {"a"}, {"b"}}), (Names{{"a", "b"}, {"a"}, {"b"}}));
  EXPECT_EQ(merged({{"a", "b"}, {"a", "c"}, {"b", "c"}}),
            (Names{{"a", "b"}, {"a", "c"}, {"b", "c"}}));
}

TEST(MergeGroupNames, AddressesStayWhereGraphsUseDifferentNumbersOfGroups) {
  EXPECT_EQ(merged({{"100", "200"}, {"310"}, {"999", "444"}}),
            (Names{{"100", "200"}, {"310"}, {"999", "444"}}));
}

TEST(MergeGroupNames, GroupsOfOtherMembersKeepTheirNames) {
  std::vector<std::vector<UsedGroup>> used = {{{{0, 1}, "100"}}, {{{0, 2}, "310"}}};
  merge_group_names(used);
  EXPECT_EQ(used[1][0].name, "310");
}

TEST(MergeGroupNames, FiftyThousandGroupsOfDifferentMembersTakeNoTimeWorthNaming) {
  std::vector<std::vector<UsedGroup>> used(2);
  for (std::int64_t rank = 1; rank <= 50'000; ++rank)
    for (std::size_t graph = 0; graph < 2; ++graph)
      used[graph].push_back({{0, rank}, std::to_string(rank + static_cast<int>(graph) * 100'000)});
  const auto begin = std::chrono::steady_clock::now();
  merge_group_names(used);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  EXPECT_EQ(used[1].back().name, "50000");
}

}  // namespace
}  // namespace nadi
