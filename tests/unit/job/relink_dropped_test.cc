// What the nodes behind a dropped one wait for.
#include <gtest/gtest.h>

#include "nadi/sim_bridge/job/job.h"

namespace nadi {
namespace {

/// Adds a node that ends at `end_ns` and waits for others; returns its place.
std::uint32_t add(JobRank& rank, Ns end_ns, bool is_dropped,
                  const std::vector<std::uint32_t>& waits_for) {
  const std::uint32_t place = rank.add(AddedNode::kNone);
  rank.start_ns[place] = end_ns;
  rank.is_dropped[place] = is_dropped;
  for (const std::uint32_t on : waits_for) rank.dependencies.push_back({place, on});
  return place;
}

std::vector<std::uint32_t> dependencies_of(const JobRank& rank, std::uint32_t node) {
  std::vector<std::uint32_t> on;
  for (const JobDependency& dependency : rank.dependencies)
    if (dependency.node == node) on.push_back(dependency.on);
  return on;
}

TEST(RelinkDropped, BehindAChainOfThemOnlyTheLastOfAThreadIsWaitedFor) {
  JobRank rank;
  std::uint32_t host = add(rank, 0, false, {});
  std::uint32_t dropped = add(rank, 1, true, {host});
  for (Ns time = 2; time < 200; time += 2) {
    host = add(rank, time, false, {host});
    dropped = add(rank, time + 1, true, {dropped, host});
  }
  const std::uint32_t behind = add(rank, 200, false, {dropped});
  relink_dropped(rank);
  EXPECT_EQ(dependencies_of(rank, behind), std::vector{host});
}

TEST(RelinkDropped, OfMoreThanSixtyFourNodesThoseThatEndLastAreWaitedFor) {
  JobRank rank;
  std::vector<std::uint32_t> before;
  for (Ns end = 0; end < 100; ++end) before.push_back(add(rank, end % 50, false, {}));
  const std::uint32_t behind = add(rank, 200, false, {add(rank, 100, true, before)});
  relink_dropped(rank);
  const std::vector<std::uint32_t> on = dependencies_of(rank, behind);
  EXPECT_EQ(on.size(), 64U);
  for (const std::uint32_t node : on) EXPECT_GE(rank.start_ns[node], 18);
}

}  // namespace
}  // namespace nadi
