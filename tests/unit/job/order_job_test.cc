// The order of the nodes of a job's ranks.
#include "nadi/sim_bridge/job/order_job.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "tests/error_of.h"

namespace nadi {
namespace {

/// Ranks with all their nodes, and the job of what they communicate: all collectives are of all
/// ranks.
class Ranks {
 public:
  explicit Ranks(std::size_t count) : whole(count) {
    job.graphs.resize(count);
    job.ranks.resize(count);
    job.groups.push_back({"all", "", {}});
    matches.clocks.resize(count);
    for (std::size_t r = 0; r < count; ++r) {
      job.graphs[r].name = "g" + std::to_string(r);
      job.ranks[r].recorded_rank = static_cast<std::int64_t>(r);
      job.ranks[r].graph = static_cast<std::uint32_t>(r);
      job.groups[0].ranks.push_back(static_cast<std::int64_t>(r));
    }
  }

  std::uint32_t add(std::size_t rank, Ns start_ns, const std::vector<std::uint32_t>& waits_for) {
    JobRank& r = whole[rank];
    const std::uint32_t node = r.add(AddedNode::kRestored);
    r.start_ns[node] = start_ns;
    for (const std::uint32_t on : waits_for) r.dependencies.push_back({node, on});
    return node;
  }

  /// Adds the next collective of the rank; the n-th of each are one if they have one `name`.
  std::uint32_t add_collective(std::size_t rank, int name, Ns start_ns,
                               const std::vector<std::uint32_t>& waits_for) {
    const std::uint32_t node = add(rank, start_ns, waits_for);
    JobRank& of_job = job.ranks[rank];
    JobCommunication c;
    c.type = ChakraProtoMsg::ALL_REDUCE;
    c.job_group = 0;
    whole[rank].type[node] = NodeType::kCollective;
    whole[rank].add_communication(node, c);
    of_job.communications.push_back(c);
    members_[name].push_back(of_job.add_copy(whole[rank], node));
    return node;
  }

  /// Orders all ranks.
  void order() {
    for (const auto& [name, nodes] : members_) matches.collectives.push_back({0, nodes});
    std::vector<CommunicationWaits> waits;
    for (const JobRank& rank : whole) waits.push_back(find_communication_waits(rank, {}));
    const auto turns = order_communications(job, matches, waits);
    for (std::size_t r = 0; r < whole.size(); ++r) order_nodes(whole[r], {}, turns[r]);
  }

  /// The collectives of a rank in its order, as their numbers there.
  std::vector<std::uint32_t> collectives(std::size_t rank) const {
    std::vector<std::uint32_t> found;
    for (const std::uint32_t n : whole[rank].order)
      if (whole[rank].communication[n] != kNoIndex) found.push_back(whole[rank].communication[n]);
    return found;
  }

  Job job;
  JobMatches matches;
  std::vector<JobRank> whole;

 private:
  std::map<int, std::vector<std::uint32_t>> members_;  // by name: its number on each rank
};

void expect_topological(const JobRank& rank) {
  ASSERT_EQ(rank.order.size(), rank.size());
  std::vector<std::size_t> place(rank.size());
  for (std::size_t i = 0; i < rank.order.size(); ++i) place[rank.order[i]] = i;
  for (const JobDependency& d : rank.dependencies) EXPECT_LT(place[d.on], place[d.node]);
}

TEST(OrderJob, OfOneRankIsByStart) {
  Ranks ranks(1);
  ranks.add(0, 30, {});
  ranks.add(0, 10, {});
  ranks.add(0, 20, {1});
  ranks.order();
  EXPECT_EQ(ranks.whole[0].order, (std::vector<std::uint32_t>{1, 2, 0}));
}

TEST(OrderJob, WhatWaitsForACollectiveComesBehindWhatOtherRanksHoldItUpWith) {
  Ranks ranks(2);
  const std::uint32_t first = ranks.add_collective(0, 0, 10, {});
  const std::uint32_t behind = ranks.add(0, 20, {first});
  const std::uint32_t other = ranks.add(0, 50, {});
  const std::uint32_t later = ranks.add(0, 70, {});
  ranks.add_collective(1, 0, 60, {});
  ranks.order();
  EXPECT_EQ(ranks.whole[0].order, (std::vector<std::uint32_t>{other, first, behind, later}));
}

TEST(OrderJob, RanksThatStartTwoCollectivesInDifferentOrdersGetOne) {
  Ranks ranks(2);
  ranks.add_collective(0, 0, 10, {});
  ranks.add_collective(0, 1, 20, {});
  ranks.add_collective(1, 0, 40, {});
  ranks.add_collective(1, 1, 30, {});
  ranks.order();
  EXPECT_EQ(ranks.collectives(0), ranks.collectives(1));
}

TEST(OrderJob, RanksThatWaitForEachOtherInACircleAreNamed) {
  Ranks ranks(2);
  const std::uint32_t a0 = ranks.add_collective(0, 0, 10, {});
  ranks.add_collective(0, 1, 20, {ranks.add(0, 15, {a0})});
  ranks.add_collective(1, 0, 40, {});
  const std::uint32_t b1 = ranks.add_collective(1, 1, 30, {});
  ranks.whole[1].dependencies.push_back({0, b1});
  EXPECT_EQ(error_of([&] { ranks.order(); }).problem(),
            "ranks would wait for each other in a cycle; the first that wait:\n"
            "  a node (communication restored) of rank 0 (g0) in group \"all\"\n"
            "  a node (communication restored) of rank 1 (g1) in group \"all\"");
}

TEST(OrderJob, NodesOfARankThatWaitForEachOtherAreNoticed) {
  Ranks ranks(1);
  const std::uint32_t first = ranks.add(0, 10, {});
  const std::uint32_t second = ranks.add(0, 20, {first});
  EXPECT_FALSE(find_communication_waits(ranks.whole[0], {}).has_cycle);
  ranks.whole[0].dependencies.push_back({first, second});
  EXPECT_TRUE(find_communication_waits(ranks.whole[0], {}).has_cycle);
}

TEST(OrderJob, OfRandomRanksIsTopologicalAndOneForAllRanks) {
  constexpr int kNodes = 400;
  for (unsigned seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
    Ranks ranks(3);
    for (std::size_t rank = 0; rank < 3; ++rank) {
      int collective = 0;
      for (std::uint32_t n = 0; n < kNodes; ++n) {
        // Few dependencies, and now and then more than a set of communications holds.
        std::vector<std::uint32_t> waits_for;
        const std::uint32_t count = n == 0 ? 0 : below(20) == 0 ? 30 : below(3);
        for (std::uint32_t i = 0; i < count; ++i) waits_for.push_back(below(n));
        const auto start = static_cast<Ns>(below(1000));
        if (n % 5 == rank)  // as many on each rank, in one order
          ranks.add_collective(rank, collective++, start, waits_for);
        else
          ranks.add(rank, start, waits_for);
      }
    }
    ranks.order();
    for (const JobRank& rank : ranks.whole) expect_topological(rank);
    EXPECT_EQ(ranks.collectives(1), ranks.collectives(0));
    EXPECT_EQ(ranks.collectives(2), ranks.collectives(0));
  }
}

TEST(OrderJob, NoNodeBeforeAnotherStartsLaterThanAllThatThatWaitsFor) {
  std::mt19937 random(7);
  Ranks ranks(1);
  for (std::uint32_t n = 0; n < 300; ++n) {
    const std::vector<std::uint32_t> waits_for =
        n == 0 ? std::vector<std::uint32_t>{}
               : std::vector{static_cast<std::uint32_t>(random() % n)};
    ranks.add(0, static_cast<Ns>(random() % 1000), waits_for);
  }
  ranks.order();
  const JobRank& rank = ranks.whole[0];
  std::vector<Ns> latest = rank.start_ns;  // of what it waits for and of itself
  for (const JobDependency& d : rank.dependencies)
    latest[d.node] = std::max(latest[d.node], latest[d.on]);
  for (std::size_t i = 1; i < rank.order.size(); ++i)
    EXPECT_LE(latest[rank.order[i - 1]], latest[rank.order[i]]);
}

}  // namespace
}  // namespace nadi
