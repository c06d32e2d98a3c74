// The texts of the files beside the graphs, and the graph of an idle NPU.
#include "nadi/sim_bridge/astra_sim/write_files.h"

#include <gtest/gtest.h>

#include "nadi/base/error.h"
#include "nadi/chakra/chakra_check.h"
#include "nadi/chakra/groups.h"
#include "tests/error_of.h"
#include "tests/temporary_folder.h"

namespace nadi::astra_sim {
namespace {

TEST(SimulatorFiles, NetworkFileHasAValuePerDimension) {
  JobNetwork network = switch_network(8);
  EXPECT_EQ(network_text(network.network),
            "topology: [ Switch ]\nnpus_count: [ 8 ]\nbandwidth: [ 400 ]  # GB/s\n"
            "latency: [ 936 ]  # ns\n");
  network.network.dimensions.push_back({Topology::kFullyConnected, 5, 0.1234567890123, 1e6});
  EXPECT_EQ(network_text(network.network),
            "topology: [ Switch, FullyConnected ]\nnpus_count: [ 8, 5 ]\n"
            "bandwidth: [ 400, 0.1234567890123 ]  # GB/s\nlatency: [ 936, 1e+06 ]  # ns\n");
}

TEST(SimulatorFiles, SystemFileListsTheImplementations) {
  CollectiveSystem system;
  system.all_reduce = {Implementation::kRing, Implementation::kRing};
  system.all_to_all = {Implementation::kDirect1};
  const std::string text = system_text(system);
  EXPECT_NE(text.find("\"all-reduce-implementation\": [\"ring\", \"ring\"],"), std::string::npos);
  EXPECT_NE(text.find("\"all-to-all-implementation\": [\"direct1\"],"), std::string::npos);
  EXPECT_NE(text.find("\"preferred-dataset-splits\": 2,"), std::string::npos);
  EXPECT_NE(text.find("\"peak-perf\": 989\n"), std::string::npos) << text;
}

TEST(SimulatorFiles, MemoryFileHasARemoteMemoryWhereNodesUseOne) {
  EXPECT_EQ(memory_text(false), "{\n  \"memory-type\": \"NO_MEMORY_EXPANSION\"\n}\n");
  EXPECT_NE(memory_text(true).find("\"PER_NPU_MEMORY_EXPANSION\""), std::string::npos);
}

TEST(SimulatorFiles, AnIdleNpuHasAGraphOfOneNodeThatPassesTheCheck) {
  std::string bytes;
  write_idle_npu(9, [&](std::string_view piece) { bytes += piece; });
  const TemporaryFolder folder;
  const ChakraCheck check = check_chakra(folder.write("job.9.et", bytes));
  EXPECT_TRUE(check.findings.empty()) << to_string(check.findings.front().rule);
  EXPECT_EQ(check.nodes, 1U);
}

Job job_of_groups(std::size_t count) {
  Job job;
  job.graphs.resize(1);
  job.graphs.front().name = "trace.0.json";
  job.groups.resize(count, {"", "", {0, 1}});
  return job;
}

TEST(SimulatorFiles, GroupsAreNumberedUpToTheLimit) {
  const auto groups = parse_comm_groups(comm_groups_text(job_of_groups(2147)), "groups");
  EXPECT_EQ(groups.size(), 2147U);
  EXPECT_TRUE(groups.contains("2147"));
}

TEST(SimulatorFiles, MoreGroupsThanTheSimulatorKeepsApartAreAnErrorThatSaysWhatToDo) {
  const Error error = error_of([] { comm_groups_text(job_of_groups(2148)); });
  EXPECT_EQ(error.code(), ErrorCode::kInput);
  EXPECT_EQ(error.problem(), "the job has 2148 process groups; ASTRA-sim keeps 2147 apart");
  EXPECT_NE(error.remedy().find("`target=goal`"), std::string::npos);
}

}  // namespace
}  // namespace nadi::astra_sim
