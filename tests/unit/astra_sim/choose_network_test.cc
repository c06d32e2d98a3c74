// The network and the implementations that a job's use of collectives asks for.
#include "nadi/sim_bridge/astra_sim/choose_network.h"

#include <gtest/gtest.h>

#include "nadi/base/error.h"
#include "nadi/chakra/communication_name.h"
#include "nadi/sim_bridge/astra_analytical/network_model.h"
#include "nadi/sim_bridge/astra_sim/network_choice.h"
#include "nadi/sim_bridge/astra_sim/write_files.h"
#include "tests/error_of.h"

namespace nadi::astra_sim {
namespace {

using namespace ChakraProtoMsg;
using enum Implementation;
using List = std::vector<Implementation>;

struct Chosen {
  JobNetwork network;
  Diagnostics diagnostics;
};

/// Of a job whose ranks all use the same.
Chosen choose(std::int64_t ranks, const std::set<GroupUse>& uses,
              NetworkBackend backend = NetworkBackend::kUnaware) {
  CollectiveUse use(ranks);
  for (std::int64_t rank = 0; rank < ranks; ++rank) use.add_rank(rank, uses);
  JobNetwork plain = switch_network(ranks);
  plain.network.backend = backend;
  plain.network.dimensions.front().latency_ns = 77;
  Chosen chosen;
  chosen.network = choose_network(use, std::move(plain), chosen.diagnostics);
  return chosen;
}

std::vector<std::int64_t> npus(const JobNetwork& network) {
  std::vector<std::int64_t> npus;
  for (const NetworkDimension& dimension : network.network.dimensions)
    npus.push_back(dimension.npus);
  return npus;
}

TEST(ChooseNetwork, AJobWithOneGroupPerTypeStaysOnOneDimension) {
  // The group of all ranks beside a smaller one is no part of the network.
  const Chosen chosen = choose(8, {{ALL_REDUCE, 0, 8}, {ALL_REDUCE, 1, 2}, {ALL_GATHER, 2, 4}});
  EXPECT_EQ(npus(chosen.network), std::vector<std::int64_t>{8});
  EXPECT_EQ(chosen.network.system.all_reduce, List{kRing});
  EXPECT_EQ(chosen.network.system.all_to_all, List{kDirect1});
  EXPECT_EQ(chosen.network.system.dataset_splits, 2);
  EXPECT_TRUE(chosen.diagnostics.table().empty());
}

TEST(ChooseNetwork, ATypeInTwoGroupsOfARankGetsTwoDimensionsAndIdleNpus) {
  for (const std::int64_t ranks : {3, 4, 7, 8, 64}) {
    const Chosen chosen = choose(ranks, {{ALL_REDUCE, 1, 2}, {ALL_REDUCE, 5, 2}});
    EXPECT_EQ(npus(chosen.network), (std::vector<std::int64_t>{2, ranks / 2 + 1}));
    EXPECT_GT(npus_of(chosen.network.network), ranks);
    EXPECT_LE(npus_of(chosen.network.network), ranks + 2);
    const auto& dimensions = chosen.network.network.dimensions;
    EXPECT_EQ(dimensions[0].latency_ns, 77);
    EXPECT_EQ(dimensions[1].latency_ns, 77);
    EXPECT_EQ(chosen.network.system.all_reduce, (List{kRing, kRing}));
    EXPECT_EQ(chosen.network.system.all_gather, List{kRing});
    EXPECT_EQ(chosen.diagnostics.count(Finding::kIdleNpusAdded), 1U);
  }
}

TEST(ChooseNetwork, BesideIdleNpusTheGroupOfAllRanksIsAPartToo) {
  const Chosen chosen = choose(8, {{ALL_REDUCE, 1, 2},
                                   {ALL_REDUCE, 5, 4},
                                   {ALL_GATHER, 5, 4},
                                   {ALL_GATHER, 9, 8},
                                   {REDUCE_SCATTER, 9, 8}});
  EXPECT_EQ(chosen.network.system.all_gather, (List{kRing, kRing}));
  EXPECT_EQ(chosen.network.system.reduce_scatter, List{kRing});
}

TEST(ChooseNetwork, TwoGroupsOnDifferentRanksNeedNothing) {
  CollectiveUse use(4);
  use.add_rank(0, {{ALL_REDUCE, 1, 2}});
  use.add_rank(2, {{ALL_REDUCE, 2, 2}});
  Diagnostics diagnostics;
  EXPECT_EQ(npus(choose_network(use, switch_network(4), diagnostics)),
            std::vector<std::int64_t>{4});
}

TEST(ChooseNetwork, LargeGroupsOfAPowerOfTwoHalveAndDouble) {
  const auto all_reduce = [](std::int64_t ranks, const std::set<GroupUse>& uses) {
    return choose(ranks, uses).network.system.all_reduce;
  };
  EXPECT_EQ(all_reduce(16, {{ALL_REDUCE, 0, 16}}), List{kHalvingDoubling});
  EXPECT_EQ(all_reduce(8, {{ALL_REDUCE, 0, 8}}), List{kRing});
  EXPECT_EQ(all_reduce(16, {{ALL_REDUCE, 0, 16, 2 * 16 * 2}}), List{kHalvingDoubling});
  EXPECT_EQ(all_reduce(16, {{ALL_REDUCE, 0, 16, 2 * 16 * 2 - 1}}), List{kRing});
  EXPECT_EQ(all_reduce(24, {{ALL_REDUCE, 0, 24}}), List{kRing});
  EXPECT_EQ(all_reduce(48, {{ALL_REDUCE, 1, 16}}), List{kHalvingDoubling});
  EXPECT_EQ(all_reduce(48, {{ALL_REDUCE, 0, 48}, {ALL_REDUCE, 1, 16}}), List{kRing});
  const CollectiveSystem system = choose(64, {{ALL_GATHER, 0, 64}}).network.system;
  EXPECT_EQ(system.all_gather, List{kHalvingDoubling});
  EXPECT_EQ(system.reduce_scatter, List{kRing});
}

TEST(ChooseNetwork, FromTheThresholdOnLatencyRulesARingsGradientBucket) {
  // 25 MB among 16: the pieces take less to carry than their way through the switch.
  Network network = switch_network(16).network;
  const Ns way = *message_time(0, 1, 1, network);
  EXPECT_LT(*message_time(0, 1, 25'000'000 / 2 / 16, network) - way, way);
  EXPECT_GT(*message_time(0, 1, 25'000'000 / 2 / 8, network) - way, way);
}

TEST(ChooseNetwork, TheModelCoversWhatIsChosen) {
  for (const std::int64_t members : {2, 3, 8, 16, 48, 64})
    for (const std::int64_t type : {ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER, ALL_TO_ALL})
      for (const bool is_in_two : {false, true}) {
        std::set<GroupUse> uses = {{type, 1, members}};
        if (is_in_two) uses.insert({type, 2, 2});
        const JobNetwork chosen = choose(96, uses).network;
        Collective collective{type, 1'000'000, {}};
        for (std::int64_t i = 0; i < members; ++i) collective.members.push_back(i);
        EXPECT_TRUE(collective_time(collective, chosen.network, chosen.system))
            << collective_name(type) << " " << members;
      }
}

TEST(ChooseNetwork, AllToAllInTwoGroupsKeepsItsStepsAndWarns) {
  const Chosen chosen = choose(8, {{ALL_TO_ALL, 1, 4}, {ALL_TO_ALL, 5, 2}});
  EXPECT_EQ(npus(chosen.network), std::vector<std::int64_t>{8});
  EXPECT_EQ(chosen.network.system.all_to_all, List{kDirect1});
  EXPECT_EQ(chosen.diagnostics.count(Finding::kAllToAllInTwoGroups), 1U);
  const Chosen both =
      choose(8, {{ALL_TO_ALL, 1, 4}, {ALL_TO_ALL, 5, 2}, {ALL_REDUCE, 1, 4}, {ALL_REDUCE, 5, 2}});
  EXPECT_EQ(both.network.system.all_reduce, (List{kRing, kRing}));
  EXPECT_EQ(both.network.system.all_to_all, List{kDirect1});
  EXPECT_EQ(both.diagnostics.count(Finding::kAllToAllInTwoGroups), 1U);
}

TEST(ChooseNetwork, AmongTwoMembersARingIsNoSlowerSoAllToAllIsSafeThere) {
  const Chosen chosen = choose(8, {{ALL_TO_ALL, 1, 2}, {ALL_TO_ALL, 5, 2}});
  EXPECT_EQ(chosen.network.system.all_to_all, (List{kRing, kRing}));
  EXPECT_EQ(chosen.diagnostics.count(Finding::kAllToAllInTwoGroups), 0U);
  const JobNetwork& network = chosen.network;
  const Collective pair{ALL_TO_ALL, 1'000'000, {0, 1}};
  CollectiveSystem direct1 = network.system;
  direct1.all_to_all = {kDirect1};
  EXPECT_EQ(collective_time(pair, network.network, network.system),
            collective_time(pair, network.network, direct1));
}

TEST(ChooseNetwork, TheCongestionAwareProgramSharesLinksSoAllToAllIsDirect) {
  const Chosen chosen =
      choose(64, {{ALL_REDUCE, 0, 64}, {ALL_TO_ALL, 1, 8}}, NetworkBackend::kAware);
  EXPECT_EQ(chosen.network.system.all_to_all, List{kDirect});
  EXPECT_EQ(chosen.network.system.all_reduce, List{kRing});
}

TEST(ChooseNetwork, DimensionsThatTheUserGivesStayWithAnImplementationForEach) {
  CollectiveUse use(8);
  use.add_rank(0, {{ALL_REDUCE, 1, 2}, {ALL_REDUCE, 5, 4}});
  JobNetwork plain = switch_network(8);
  plain.network.dimensions.assign(2, plain.network.dimensions.front());
  plain.network.dimensions[0].npus = 2;
  plain.network.dimensions[1].npus = 4;
  Diagnostics diagnostics;
  const JobNetwork chosen = choose_network(use, plain, diagnostics);
  EXPECT_EQ(npus(chosen), (std::vector<std::int64_t>{2, 4}));
  EXPECT_EQ(chosen.system.all_reduce, (List{kRing, kRing}));
  EXPECT_EQ(chosen.system.all_gather, (List{kRing, kRing}));
  plain.network.backend = NetworkBackend::kAware;
  EXPECT_THROW(choose_network(use, plain, diagnostics), Error);
}

TEST(ChooseNetwork, ARingHasNoRoomForIdleNpus) {
  CollectiveUse use(8);
  use.add_rank(0, {{ALL_REDUCE, 1, 2}});
  JobNetwork ring = switch_network(8);
  ring.network.dimensions.front().topology = Topology::kRing;
  Diagnostics diagnostics;
  EXPECT_EQ(npus(choose_network(use, ring, diagnostics)), std::vector<std::int64_t>{8});
  use.add_rank(1, {{ALL_REDUCE, 1, 2}, {ALL_REDUCE, 5, 4}});
  const Error error = error_of([&] { choose_network(use, ring, diagnostics); });
  EXPECT_EQ(error.where(), "rank 1 uses ALL_REDUCE in groups 1 and 5");
  EXPECT_NE(error.remedy().find("`topology`"), std::string::npos);
}

TEST(ChooseNetwork, TheCongestionAwareProgramIsRefusedAJobThatNeedsTwoDimensions) {
  const Error error = error_of([] {
    choose(8, {{ALL_REDUCE, 1, 2}, {ALL_REDUCE, 5, 4}}, NetworkBackend::kAware);
  });
  EXPECT_EQ(error.where(), "rank 0 uses ALL_REDUCE in groups 1 and 5");
  EXPECT_EQ(error.remedy(),
            "Choose `backend=unaware`; a recorded job also runs with `communication=replay`");
}

TEST(ChooseNetwork, IdleNpusAndACollectiveThatNamesNoGroupAreRefused) {
  CollectiveUse use(8);
  use.add_rank(0, {{ALL_REDUCE, 0, 8}});
  JobNetwork network = switch_network(8);
  tell_nodes_apart(4, network.network);
  Diagnostics diagnostics;
  EXPECT_THROW(choose_network(use, network, diagnostics), Error);
}

/// A job of so many ranks whose ranks are in these groups, each with an all-reduce, and send to
/// these.
Job job_of(std::size_t ranks, const std::vector<std::vector<std::int64_t>>& groups,
           const std::vector<std::pair<std::int64_t, std::int64_t>>& messages = {},
           std::int64_t type = ALL_REDUCE) {
  Job job;
  job.ranks.resize(ranks);
  const auto add = [&](std::int64_t rank, NodeType node_type, const JobCommunication& what) {
    JobRank& of_rank = job.ranks[static_cast<std::size_t>(rank)];
    of_rank.add_communication(of_rank.add(AddedNode::kNone), what);
    of_rank.type.back() = node_type;
  };
  for (const auto& members : groups) {
    JobCommunication what;
    what.type = type;
    what.job_group = static_cast<std::uint32_t>(job.groups.size());
    job.groups.push_back({"", "", members});
    for (const std::int64_t member : members) add(member, NodeType::kCollective, what);
  }
  for (const auto& [source, destination] : messages) {
    JobCommunication what;
    what.src = source;
    what.dst = destination;
    add(source, NodeType::kSend, what);
  }
  return job;
}

TEST(RanksOfNode, AreToldByGroupsInNodesAndBetweenThem) {
  const std::vector<std::vector<std::int64_t>> tensor = {{0, 1, 2, 3}, {4, 5, 6, 7}};
  auto groups = tensor;
  groups.insert(groups.end(), {{0, 4}, {1, 5}, {2, 6}, {3, 7}});
  EXPECT_EQ(ranks_of_node(job_of(8, groups)), 4);
  EXPECT_EQ(ranks_of_node(job_of(8, tensor, {{0, 4}, {7, 3}})), 4);  // pipeline stages
  // Context-parallel pairs in nodes of four.
  groups.insert(groups.end(), {{0, 1}, {2, 3}});
  EXPECT_EQ(ranks_of_node(job_of(8, groups)), 4);
}

TEST(RanksOfNode, AreNotToldWhereOneKindLacksOrAGroupMixesBoth) {
  const std::vector<std::vector<std::int64_t>> tensor = {{0, 1, 2, 3}, {4, 5, 6, 7}};
  EXPECT_EQ(ranks_of_node(job_of(8, tensor)), std::nullopt);
  EXPECT_EQ(ranks_of_node(job_of(8, {{0}, {0, 4}})), std::nullopt);
  EXPECT_EQ(ranks_of_node(job_of(8, tensor, {{3, 4}})), std::nullopt);
  auto with_all = tensor;
  with_all.push_back({0, 1, 2, 3, 4, 5, 6, 7});
  EXPECT_EQ(ranks_of_node(job_of(8, with_all, {{0, 4}})), std::nullopt);
  // All-to-all would become a ring of n(n-1)/2 steps.
  EXPECT_EQ(ranks_of_node(job_of(8, tensor, {{0, 4}}, ALL_TO_ALL)), std::nullopt);
}

}  // namespace
}  // namespace nadi::astra_sim
