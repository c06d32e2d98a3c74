// Networks fitted to what jobs measured.
#include "nadi/sim_bridge/astra_sim/fit_network.h"

#include <gtest/gtest.h>

#include "nadi/base/error.h"
#include "nadi/sim_bridge/astra_sim/check.h"
#include "nadi/sim_bridge/astra_sim/choose_network.h"
#include "nadi/sim_bridge/astra_sim/network_choice.h"
#include "nadi/sim_bridge/astra_sim/write_files.h"
#include "tests/et_file.h"

namespace nadi::astra_sim {
namespace {

using namespace ChakraProtoMsg;

struct Measured {
  std::int64_t bytes;
  Ns duration_ns;
};

JobNetwork network_with(double latency_ns, double gb_per_s) {
  JobNetwork network = switch_network(2);
  network.network.dimensions.front().latency_ns = latency_ns;
  network.network.dimensions.front().bandwidth_gb_per_s = gb_per_s;
  return network;
}

/// All-reduces of two ranks with the times that a network takes for them, in whole us as files
/// have them.
std::vector<Measured> measured_on(const JobNetwork& network,
                                  const std::vector<std::int64_t>& sizes) {
  std::vector<Measured> all;
  for (const std::int64_t bytes : sizes)
    all.push_back(
        {bytes, *collective_time({ALL_REDUCE, bytes, {0, 1}}, network.network, network.system) /
                    1000 * 1000});
  return all;
}

/// The check's run of two ranks that compute for 10 us, then communicate, one after the other.
JobCheck check_of(const std::vector<Measured>& collectives, Ns recorded_span_ns,
                  bool is_hidden = false) {
  TemporaryFolder folder;
  CheckOptions check;
  for (int rank = 0; rank < 2; ++rank) {
    EtFile file(rank);
    file.host(1, 0, is_hidden ? 10'000 : 10);
    std::uint64_t id = 1;
    for (const auto& [bytes, duration_ns] : collectives) {
      Node& node = file.collective(id + 1, ALL_REDUCE, bytes, "1", 0, 0,
                                   is_hidden && id == 1 ? Ids{} : Ids{id});
      node.set_duration_micros(static_cast<std::uint64_t>(duration_ns / 1000));
      ++id;
    }
    check.files.push_back(folder.write("job." + std::to_string(rank) + ".et", file.bytes()));
  }
  check.comm_groups = folder.write("job.groups.json", "{\"1\": [0, 1]}");
  check.network = switch_network(2);
  check.recorded_span_ns = recorded_span_ns;
  return check_job(check);
}

Ns span_of(const std::vector<Measured>& collectives) {
  Ns span = 10'000;
  for (const Measured& collective : collectives) span += collective.duration_ns;
  return span;
}

TEST(FitNetwork, FindsTheLatencyAndBandwidthThatTheTimesComeFrom) {
  const auto collectives = measured_on(network_with(5'000, 25), {1 << 12, 1 << 20, 1 << 26});
  const JobCheck check = check_of(collectives, span_of(collectives));
  ASSERT_TRUE(check.fit.has_value());
  EXPECT_EQ(check.fit->unfitted, "");
  EXPECT_NEAR(check.fit->links.front().latency_ns, 5'000, 125);  // the us cut off is 8 latencies
  EXPECT_NEAR(check.fit->links.front().bandwidth_gb_per_s, 25, 0.25);
  EXPECT_TRUE(check.fit->links.front().is_determined);
  EXPECT_EQ(check.fit->factor, 1);
  EXPECT_EQ(check.fit->transfers, 3U);
  EXPECT_EQ(check.fit->transfer_ns, span_of(collectives) - 10'000);
  EXPECT_NEAR(static_cast<double>(check.fit->no_communication_ns), 10'000, 10);
  ASSERT_TRUE(check.network.has_value());
  EXPECT_EQ(check.network->network.dimensions.front().latency_ns,
            check.fit->links.front().latency_ns);
  EXPECT_EQ(check.network_makespan_ns, check.fit->makespan_ns);
}

TEST(FitNetwork, KeepsTheSumOfTimesThatNoNetworkCouldTake) {
  // Equal sizes that took different times: their sum is what a network can keep.
  const std::vector<Measured> collectives = {{1 << 20, 40'000}, {1 << 20, 160'000}, {64, 20'000}};
  const JobCheck check = check_of(collectives, span_of(collectives));
  EXPECT_NEAR(static_cast<double>(check.fit->unstretched_ns),
              static_cast<double>(span_of(collectives)), 300);
}

TEST(FitNetwork, StretchesCommunicationUntilTheJobTakesTheTimeRecorded) {
  const auto collectives = measured_on(network_with(5'000, 25), {1 << 12, 1 << 20});
  const Ns span = span_of(collectives) * 3;
  const JobCheck check = check_of(collectives, span);
  EXPECT_GT(check.fit->factor, 3);
  EXPECT_NEAR(static_cast<double>(check.fit->makespan_ns), static_cast<double>(span),
              0.001 * static_cast<double>(span));
}

/// The link fitted to these, whose factor is 1.
FittedLink link_of(const std::vector<Measured>& collectives) {
  const JobCheck check = check_of(collectives, span_of(collectives));
  EXPECT_NEAR(static_cast<double>(check.fit->unstretched_ns),
              static_cast<double>(span_of(collectives)), 300);
  EXPECT_EQ(check.fit->factor, 1);
  return check.fit->links.front();
}

TEST(FitNetwork, SaysWhichLatenciesAndBandwidthsTheScatterOfTheTimesAllows) {
  std::vector<Measured> collectives;
  for (const double scale : {1.0, 1.1, 0.9, 1.05, 0.95})
    for (const auto& [bytes, duration_ns] :
         measured_on(network_with(5'000, 25), {1 << 12, 1 << 20, 1 << 22}))
      collectives.push_back(
          {bytes, static_cast<Ns>(scale * static_cast<double>(duration_ns)) / 1000 * 1000});
  const FittedLink link = link_of(collectives);
  EXPECT_TRUE(link.is_determined);
  EXPECT_LT(link.least.latency_ns, 4'900);
  EXPECT_GT(link.most.latency_ns, 5'000);
  EXPECT_LT(link.least.bandwidth_gb_per_s, 24);
  EXPECT_GT(link.most.bandwidth_gb_per_s, 26);
  EXPECT_LT(link.most.bandwidth_gb_per_s, 40);
}

TEST(FitNetwork, OfOneSizeKeepsTheLatencyThatWasGiven) {
  const FittedLink link = link_of(measured_on(network_with(5'000, 25), {1 << 24}));
  EXPECT_FALSE(link.is_determined);
  EXPECT_DOUBLE_EQ(link.latency_ns, 936);
  EXPECT_LT(link.bandwidth_gb_per_s, 25);
  EXPECT_EQ(link.least.latency_ns, 0);
  EXPECT_LT(link.least.bandwidth_gb_per_s, link.bandwidth_gb_per_s);
  EXPECT_GT(link.most.latency_ns, 5'000);
  EXPECT_EQ(link.most.bandwidth_gb_per_s, kWidestBandwidth);
}

TEST(FitNetwork, OfTimesThatDoNotFollowBytesKeepsTheLatencyThatWasGiven) {
  const FittedLink link = link_of({{1 << 10, 500'000}, {1 << 20, 130'000}, {1 << 22, 131'000}});
  EXPECT_FALSE(link.is_determined);
  EXPECT_DOUBLE_EQ(link.latency_ns, 936);
  EXPECT_NEAR(link.bandwidth_gb_per_s, 6.6, 0.1);  // of 5 MB in 730 us
}

TEST(FitNetwork, OfTwoTransfersTellsOnlyBothTogether) {
  EXPECT_FALSE(link_of(measured_on(network_with(5'000, 25), {1 << 12, 1 << 24})).is_determined);
}

TEST(FitNetwork, OfOneSizeOnAFasterNetworkKeepsTheRatioOfLatencyAndBandwidth) {
  const FittedLink link = link_of(measured_on(network_with(93.6, 4'000), {1 << 24}));
  EXPECT_FALSE(link.is_determined);
  EXPECT_NEAR(link.latency_ns * link.bandwidth_gb_per_s, 936 * 400, 1);
}

TEST(FitNetwork, OfFewBytesTakesLatencyForTheCauseRatherThanABandwidthThatNoLinkHas) {
  const FittedLink link = link_of({{64, 50'000}, {64, 52'000}});
  EXPECT_FALSE(link.is_determined);
  EXPECT_DOUBLE_EQ(link.bandwidth_gb_per_s, kSlowestLikelyBandwidth);
  EXPECT_NEAR(link.latency_ns, 6'300, 100);  // 51 us are eight of them
}

TEST(FitNetwork, LeavesTheNetworkWhereItsTimeIsHiddenOrNothingCommunicates) {
  const JobCheck hidden = check_of({{1 << 12, 50'000}}, 10'000'000, true);
  EXPECT_NE(hidden.fit->unfitted.find("hidden"), std::string::npos) << hidden.fit->unfitted;
  EXPECT_EQ(hidden.network->network.dimensions, switch_network(2).network.dimensions);
  const JobCheck silent = check_of({}, 10'000);
  EXPECT_NE(silent.fit->unfitted.find("no communication"), std::string::npos);
}

/// Ranks of two nodes that share tensors in them and replicate between them, on links of their own.
JobCheck check_of_two_nodes(const JobNetwork& truth, bool has_group_of_all, Ns* span_ns = nullptr) {
  TemporaryFolder folder;
  CheckOptions check;
  const std::vector<std::vector<std::int64_t>> groups = {
      {0, 1, 2, 3}, {4, 5, 6, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}, {0, 1, 2, 3, 4, 5, 6, 7}};
  Ns span = 0;
  for (int rank = 0; rank < 8; ++rank) {
    EtFile file(rank);
    file.host(1, 0, 10);
    std::uint64_t id = 1;
    span = 10'000;
    for (const std::int64_t bytes : {1 << 12, 1 << 20, 1 << 26})
      for (const int group : {rank / 4 + 1, rank % 4 + 3}) {
        const auto& members = groups[static_cast<std::size_t>(group) - 1];
        const Ns time = *collective_time({ALL_REDUCE, bytes, members}, truth.network, truth.system);
        Node& node = file.collective(id + 1, ALL_REDUCE, bytes, std::to_string(group), 0, 0, {id});
        node.set_duration_micros(static_cast<std::uint64_t>(time / 1000));
        span += time / 1000 * 1000;
        ++id;
      }
    if (has_group_of_all)
      file.collective(id + 1, ALL_REDUCE, 64, "7", 0, 0, {id}).set_duration_micros(20);
    check.files.push_back(folder.write("job." + std::to_string(rank) + ".et", file.bytes()));
  }
  for (int npu = 8; npu < 12; ++npu) {
    std::string idle;
    write_idle_npu(npu, [&](std::string_view bytes) { idle += bytes; });
    check.files.push_back(folder.write("job." + std::to_string(npu) + ".et", idle));
  }
  check.comm_groups = folder.write(
      "job.groups.json",
      R"({"1": [0, 1, 2, 3], "2": [4, 5, 6, 7], "3": [0, 4], "4": [1, 5], "5": [2, 6], "6": [3, 7],
          "7": [0, 1, 2, 3, 4, 5, 6, 7]})");
  check.network = truth;
  for (NetworkDimension& dimension : check.network->network.dimensions)
    dimension = {dimension.topology, dimension.npus};
  check.recorded_span_ns = span;
  if (span_ns != nullptr) *span_ns = span;
  return check_job(check);
}

JobNetwork two_nodes() {
  JobNetwork network = switch_network(8);
  tell_nodes_apart(4, network.network);
  network.system.all_reduce.assign(2, Implementation::kRing);
  network.network.dimensions[0].latency_ns = 900;
  network.network.dimensions[0].bandwidth_gb_per_s = 300;
  network.network.dimensions[1].latency_ns = 8'000;
  network.network.dimensions[1].bandwidth_gb_per_s = 20;
  return network;
}

TEST(FitNetwork, FindsTheLinksInNodesAndBetweenThem) {
  Ns span_of_nodes = 0;
  const JobCheck check = check_of_two_nodes(two_nodes(), false, &span_of_nodes);
  ASSERT_TRUE(check.fit && check.network_makespan_ns) << check.network_unknown;
  const auto& links = check.fit->links;
  ASSERT_EQ(links.size(), 2U);
  EXPECT_NEAR(links[0].latency_ns, 900, 60);  // the us cut off is 12 latencies
  EXPECT_NEAR(links[0].bandwidth_gb_per_s, 300, 6);
  EXPECT_NEAR(links[1].latency_ns, 8'000, 160);
  EXPECT_NEAR(links[1].bandwidth_gb_per_s, 20, 0.2);
  EXPECT_EQ(links[0].transfers, 6U);
  EXPECT_EQ(links[1].transfers, 12U);
  EXPECT_EQ(check.network->network.dimensions[1].latency_ns, links[1].latency_ns);
  EXPECT_NEAR(static_cast<double>(*check.network_makespan_ns), static_cast<double>(span_of_nodes),
              0.001 * static_cast<double>(span_of_nodes));
}

TEST(FitNetwork, HasOneLinkWhereAGroupUsesBoth) {
  const JobCheck check = check_of_two_nodes(two_nodes(), true);
  ASSERT_TRUE(check.fit && check.network_makespan_ns) << check.network_unknown;
  EXPECT_EQ(check.fit->links.size(), 1U);
}

TEST(NetworkChoice, GivesItsLinksToAllDimensionsOrIsRefused) {
  Network network = switch_network(6).network;
  NetworkChoice choice;
  choice.link.latency_ns = 7;
  choose_links(choice, network);
  EXPECT_EQ(network.dimensions.front().npus, 6);
  EXPECT_EQ(network.dimensions.front().latency_ns, 7);
  choice.dimensions = {choice.link, choice.link};
  choice.dimensions[0].npus = 2;
  choice.dimensions[1].npus = 3;
  choose_links(choice, network);
  EXPECT_EQ(network.dimensions.size(), 2U);
  choice.dimensions[1].npus = 4;
  EXPECT_THROW(choose_links(choice, network), Error);
  choice.dimensions[1].latency_ns = 9;  // in nodes of two and between them, one of these idle
  choose_links(choice, network);
  EXPECT_EQ(npus_of(network), 8);
}

}  // namespace
}  // namespace nadi::astra_sim
