// nadi text.
#include <gtest/gtest.h>

#include "tests/cli/tool.h"

namespace nadi {
namespace {

constexpr const char* kWorkload =
    "DATA\n"
    "2\n"
    "conv1 -1 50 NONE 0 60 NONE 0 70 ALLREDUCE 37632 10\n"
    "fc -1 10 NONE 0 20 NONE 0 30 ALLREDUCE 8192000 10\n";

TEST(Text, AWorkloadBecomesAGraphPerRankThatPassesTheCheck) {
  const TemporaryFolder folder;
  folder.write("w.txt", kWorkload);
  const Outcome outcome =
      run_tool("text --input w.txt --output out --npus 4 --passes 2", folder.path());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.starts_with(
      "out.0.et to out.3.et: 14 nodes each\n\nRun it with\n"
      "  AstraSim_Analytical_Congestion_Unaware --workload-configuration=out "))
      << outcome.out;
  EXPECT_EQ(folder.listing(),
            "out.0.et out.1.et out.2.et out.3.et out.comm_groups.json out.memory.json "
            "out.network.yml out.system.json w.txt");
  EXPECT_EQ(run_tool("check out.0.et --strict", folder.path()).exit_code, 0);
  const Outcome check = run_tool("check --profile astra-sim out.?.et", folder.path());
  EXPECT_EQ(check.exit_code, 0) << check.out;
  EXPECT_NE(check.out.find(" on the network of out.network.yml"), std::string::npos) << check.out;
}

TEST(Text, TakesTheNetworkOptionsOfConvert) {
  const TemporaryFolder folder;
  folder.write("w.txt", kWorkload);
  const std::string command = "text --input w.txt --npus 4 --output ";
  ASSERT_EQ(
      run_tool(command + "out --dims 2,2 --network h100 --latency-ns 5,6", folder.path()).exit_code,
      0);
  EXPECT_EQ(read_file(folder.path() / "out.network.yml"),
            "topology: [ Switch, Switch ]\nnpus_count: [ 2, 2 ]\nbandwidth: [ 400, 400 ]  # GB/s\n"
            "latency: [ 5, 6 ]  # ns\n");
  const Outcome wrong = run_tool(command + "no --dims 8", folder.path());
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.err.find("holds 8 NPUs, and the job has 4"), std::string::npos) << wrong.err;
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "no.0.et"));
  EXPECT_EQ(run_tool(command + "no --network fit", folder.path()).exit_code, 2);
}

TEST(Text, TheOlderToolsOptionNamesAndStandardInputWork) {
  const TemporaryFolder folder;
  folder.write("w.txt", kWorkload);
  const Outcome outcome =
      run_tool("text --input - --output out --num-npus 2 --num-passes 2 <w.txt", folder.path());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.starts_with("out.0.et to out.1.et: 14 nodes each\n")) << outcome.out;
  EXPECT_TRUE(folder.listing().starts_with("out.0.et out.1.et out.comm_groups.json "));
}

TEST(Text, AMalformedLineExitsWith3AndNamesItsPlace) {
  const TemporaryFolder folder;
  folder.write("w.txt", "DATA\n1\nconv1 -1 fast NONE 0 60 NONE 0 70 NONE 0 10\n");
  const Outcome outcome = run_tool("text --input w.txt --output out --npus 2", folder.path());
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(outcome.err,
            "nadi: w.txt, line 3, column 10: the forward compute time is \"fast\", no whole "
            "number. Write a number without unit or fraction\n");
  EXPECT_EQ(folder.listing(), "w.txt");
}

TEST(Text, WithoutNpusTheExitCodeIs2) {
  const Outcome outcome = run_tool("text --input w.txt --output out");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.err, "nadi: --npus is required. See: nadi text --help\n");
  EXPECT_EQ(run_tool("text --input w.txt --output out --npus 0").err,
            "nadi: --npus 0: must be from 1 to 1000000\n");
}

}  // namespace
}  // namespace nadi
