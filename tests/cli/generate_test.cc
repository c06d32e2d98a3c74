// nadi generate.
#include <gtest/gtest.h>

#include "tests/cli/tool.h"

namespace nadi {
namespace {

TEST(Generate, APatternIsAJobThatPassesTheSimulatorsCheck) {
  const TemporaryFolder folder;
  const Outcome outcome = run_tool(
      "generate pipeline --npus 8 --tensor 2 --pipeline 2 --layers 2 --output job", folder.path());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("job.0.et to job.7.et: "), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("data 2 x tensor 2 x pipeline 2, 8 process groups"), std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("--comm-group-configuration=job.comm_groups.json"), std::string::npos);
  EXPECT_EQ(folder.listing(),
            "job.0.et job.1.et job.2.et job.3.et job.4.et job.5.et job.6.et job.7.et job.8.et "
            "job.9.et job.comm_groups.json job.memory.json job.network.yml job.system.json");
  const Outcome check =
      run_tool("check --strict --profile astra-sim --comm-groups job.comm_groups.json job.*.et",
               folder.path());
  EXPECT_EQ(check.exit_code, 0) << check.out;
  EXPECT_EQ(run_tool("check --strict job.3.et", folder.path()).exit_code, 0);
  EXPECT_EQ(run_tool("replay job.*.et", folder.path()).exit_code, 0);
}

TEST(Generate, TheOlderToolsOptionNamesWork) {
  const TemporaryFolder folder;
  const Outcome outcome = run_tool(
      "generate one_comp_node --num_npus 2 --default_runtime 9 --default_tensor_size 1 "
      "--default_comm_size 2",
      folder.path());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.starts_with(
      "one_comp_node.0.et to one_comp_node.1.et: 2 nodes in all\n\nRun it with\n"))
      << outcome.out;
  EXPECT_EQ(folder.listing(),
            "one_comp_node.0.et one_comp_node.1.et one_comp_node.comm_groups.json "
            "one_comp_node.memory.json one_comp_node.network.yml one_comp_node.system.json");
  const Outcome shown = run_tool("show one_comp_node.0.et", folder.path());
  EXPECT_NE(shown.out.find("\"durationMicros\":\"9\""), std::string::npos) << shown.out;
}

TEST(Generate, EveryCommandItPrintsIsForFilesThatPassTheSimulatorsCheck) {
  const TemporaryFolder folder;
  const Outcome outcome = run_tool("generate mlcommons --npus 4", folder.path());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::string option = "--workload-configuration=";
  int commands = 0;
  for (std::size_t at = 0; (at = outcome.out.find(option, at)) != std::string::npos; ++commands) {
    at += option.size();
    const std::string prefix = outcome.out.substr(at, outcome.out.find(' ', at) - at);
    const Outcome check = run_tool("check --profile astra-sim " + prefix + ".?.et", folder.path());
    EXPECT_EQ(check.exit_code, 0) << prefix << check.out;
    EXPECT_NE(check.out.find("all run under its issue rules, at most"), std::string::npos)
        << check.out;
  }
  EXPECT_EQ(commands, 12);  // all but the METADATA node and the barrier
}

TEST(Generate, WhatIsChangedForTheWorseInTheFilesBesideTheGraphsTheCheckFinds) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_tool("generate tensor-parallel --npus 8 --tensor 2 --layers 1 --output job -q",
                     folder.path())
                .exit_code,
            0);
  ASSERT_EQ(run_tool("generate one_remote_mem_load_node --npus 2 --output load -q", folder.path())
                .exit_code,
            0);
  ASSERT_EQ(run_tool("generate ALL_REDUCE --npus 64 --comm-size 255 --output few -q", folder.path())
                .exit_code,
            0);
  const auto expect_found = [&](const std::string& prefix, const char* ending,
                                const std::string& from, const std::string& to,
                                const std::string& rule) {
    const std::filesystem::path file = folder.path() / (prefix + ending);
    const std::string text = read_file(file);
    std::string changed = text;
    ASSERT_NE(changed.find(from), std::string::npos) << text;
    changed.replace(changed.find(from), from.size(), to);
    const std::string check = "check --profile astra-sim " + prefix + ".*.et";
    EXPECT_EQ(run_tool(check, folder.path()).exit_code, 0) << rule;
    folder.write(prefix + ending, changed);
    const Outcome outcome = run_tool(check, folder.path());
    EXPECT_EQ(outcome.exit_code, 1) << rule;
    EXPECT_NE(outcome.out.find(rule), std::string::npos) << rule << "\n" << outcome.out;
    folder.write(prefix + ending, text);
  };
  expect_found("job", ".system.json", "\"all-reduce-implementation\": [\"ring\", \"ring\"]",
               "\"all-reduce-implementation\": [\"ring\"]", "collective-freed-twice");
  expect_found("job", ".system.json", "\"endpoint-delay\": 10", "\"endpoint-delay\": 0",
               "endpoint-delay-zero");
  expect_found("job", ".system.json", "\"local-mem-bw\": 3350", "\"local-mem-bw\": 0",
               "memory-bandwidth-zero");
  expect_found("job", ".system.json", "\"all-gather-implementation\": [\"ring\"",
               "\"all-gather-implementation\": [\"rnig\"", "implementation-unknown");
  expect_found("job", ".system.json", "{", "{\"track-local-mem\": 1,", "local-memory-tracked");
  expect_found("job", ".network.yml", "npus_count: [ 2, 5 ]", "npus_count: [ 10, 1 ]",
               "dimension-of-one");
  expect_found("few", ".system.json", "\"all-reduce-implementation\": [\"ring\"]",
               "\"all-reduce-implementation\": [\"halvingDoubling\"]", "all-reduce-too-small");
  expect_found("load", ".memory.json", "PER_NPU_MEMORY_EXPANSION", "NO_MEMORY_EXPANSION",
               "remote-memory-missing");
}

TEST(Generate, TakesTheNetworkOptionsOfConvert) {
  const TemporaryFolder folder;
  const std::string command = "generate tensor-parallel --npus 8 --tensor 2 --layers 1 ";
  const auto network_of = [&](const std::string& arguments) {
    const Outcome outcome = run_tool(command + "--output x " + arguments, folder.path());
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return read_file(folder.path() / "x.network.yml");
  };
  EXPECT_EQ(network_of("--dims 4,2 --link-gb-per-s 50,25 --latency-ns 7 "
                       "--topology Switch,FullyConnected"),
            "topology: [ Switch, FullyConnected ]\nnpus_count: [ 4, 2 ]\n"
            "bandwidth: [ 50, 25 ]  # GB/s\nlatency: [ 7, 7 ]  # ns\n");
  EXPECT_NE(network_of("--network a100").find("bandwidth: [ 279.3967"), std::string::npos);
  std::filesystem::rename(folder.path() / "x.network.yml", folder.path() / "a100.yml");
  EXPECT_EQ(network_of("--network a100.yml"), read_file(folder.path() / "a100.yml"));
  const auto expect_error = [&](const std::string& arguments, const char* message) {
    const Outcome outcome = run_tool(command + "--output y " + arguments, folder.path());
    EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "y.0.et"));
  };
  expect_error("--dims 2,2", "holds 4 NPUs, and the job has 8");
  expect_error("--dims 8,", "--dims: '' is no whole number from 2. Give 8 or 2,4, for example");
  expect_error("--network fit",
               "--network fit: needs measured communication, and of this job nothing was measured. "
               "Choose h100, a100, b200 or a network file");
  expect_error("--topology Star", "'Star' is neither Switch, FullyConnected nor Ring");
}

TEST(Generate, NodesTakeTheTimesOfTheLinksChosen) {
  const TemporaryFolder folder;
  const auto duration_with = [&](const std::string& arguments) {
    EXPECT_EQ(run_tool("generate data-parallel --npus 2 --layers 1 --hidden 64 --output x -q " +
                           arguments,
                       folder.path())
                  .exit_code,
              0);
    return run_tool("show x.0.et", folder.path()).out;
  };
  EXPECT_NE(duration_with("--latency-ns 5"), duration_with("--latency-ns 500000"));
}

TEST(Generate, TheCheckWarnsOfSettingsThatTheSystemFileLacks) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_tool("generate ALL_REDUCE --npus 2 --output x -q", folder.path()).exit_code, 0);
  const std::string check = "check --profile astra-sim x.0.et x.1.et";
  EXPECT_EQ(run_tool(check + " --strict", folder.path()).exit_code, 0);
  folder.write("x.system.json", "{}");
  EXPECT_EQ(run_tool(check + " --strict", folder.path()).exit_code, 1);
  const Outcome outcome = run_tool(check, folder.path());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* text : {"setting-missing", "add it",
                           "  preferred-dataset-splits, active-chunks-per-dimension, "
                           "endpoint-delay, local-mem-bw, all-reduce-implementation\n",
                           "the system file has no preferred-dataset-splits"})
    EXPECT_NE(outcome.out.find(text), std::string::npos) << outcome.out;
}

TEST(Generate, TheCommandNamesTheProgramOfTheBackend) {
  const TemporaryFolder folder;
  const Outcome aware =
      run_tool("generate ALL_TO_ALL --npus 4 --backend aware --output x", folder.path());
  EXPECT_NE(aware.out.find("\n  AstraSim_Analytical_Congestion_Aware --workload"),
            std::string::npos)
      << aware.out;
  EXPECT_NE(read_file(folder.path() / "x.system.json").find("\"direct\""), std::string::npos);
  const std::string check = "check --profile astra-sim x.?.et";
  EXPECT_NE(run_tool(check, folder.path()).out.find("us on the network"), std::string::npos);
  EXPECT_NE(run_tool(check + " --backend aware", folder.path()).out.find("unknown time on the"),
            std::string::npos);
  const Outcome refused =
      run_tool("generate tensor-parallel --npus 8 --tensor 2 --layers 1 --backend aware --output y",
               folder.path());
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_NE(refused.err.find("Choose --backend unaware; a recorded job also runs with nadi convert "
                             "--communication replay"),
            std::string::npos)
      << refused.err;
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "y.0.et"));
}

TEST(Generate, SizesAreThoseGiven) {
  const TemporaryFolder folder;
  const std::string sizes = " --npus 2 --tensor-size 17 --comm-size 33 -q";
  ASSERT_EQ(run_tool("generate one_remote_mem_load_node" + sizes, folder.path()).exit_code, 0);
  ASSERT_EQ(run_tool("generate one_comm_send_node" + sizes, folder.path()).exit_code, 0);
  const Outcome load = run_tool("show one_remote_mem_load_node.0.et", folder.path());
  EXPECT_NE(load.out.find("{\"name\":\"tensor_size\",\"uint64Val\":\"17\"}"), std::string::npos)
      << load.out;
  const Outcome send = run_tool("show one_comm_send_node.0.et", folder.path());
  EXPECT_NE(send.out.find("{\"name\":\"comm_size\",\"int64Val\":\"33\"}"), std::string::npos)
      << send.out;
}

TEST(Generate, AnUnknownKindOrNumberExitsWith2) {
  const TemporaryFolder folder;
  const Outcome kind = run_tool("generate ring", folder.path());
  EXPECT_EQ(kind.exit_code, 2);
  EXPECT_TRUE(kind.err.starts_with("nadi: KIND: nothing is named ring. There are data-parallel, "))
      << kind.err;
  const Outcome number = run_tool("generate pipeline --peak-tflops fast", folder.path());
  EXPECT_EQ(number.exit_code, 2);
  EXPECT_EQ(number.err, "nadi: --peak-tflops fast: is no number of 0 or more\n");
  const Outcome huge = run_tool("generate one_comp_node --runtime 5e300", folder.path());
  EXPECT_EQ(huge.err, "nadi: --runtime 5e300: is no whole number from 0 to 9223372036854775807\n");
  EXPECT_EQ(run_tool("generate", folder.path()).exit_code, 2);
  EXPECT_EQ(folder.listing(), "");
}

TEST(Generate, ANetworkOfAnotherSizeThanALargeJobExitsWith2) {
  const TemporaryFolder folder;
  const auto expect_error = [&](const std::string& arguments, const char* message) {
    const Outcome outcome =
        run_tool("generate data-parallel --output x " + arguments, folder.path());
    EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
  };
  expect_error("--npus 100000 --dims 100,100",
               "holds 10000 NPUs, and the job has 100000. Give numbers whose product is 100000");
  expect_error("--npus 70000 --dims 70,2000", "holds 140000 NPUs, and the job has 70000");
  EXPECT_EQ(folder.listing(), "");
}

TEST(Generate, OptionsThatChangeNothingOfTheKindExitWith2) {
  const TemporaryFolder folder;
  const Outcome single = run_tool("generate one_comp_node --layers 3 --output x", folder.path());
  EXPECT_EQ(single.exit_code, 2);
  EXPECT_NE(single.err.find("--layers: changes nothing of one_comp_node graphs"), std::string::npos)
      << single.err;
  const Outcome step = run_tool("generate pipeline --comm-size 3 --output x", folder.path());
  EXPECT_EQ(step.exit_code, 2);
  EXPECT_NE(step.err.find("It is for graphs of single nodes"), std::string::npos) << step.err;
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Generate, ItsJobsAreCheckedWithTheGroupFileBesideThem) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_tool("generate pipeline --npus 4 --pipeline 2 --layers 2 --hidden 256 --output job",
                     folder.path())
                .exit_code,
            0);
  const Outcome outcome = run_tool("check --profile astra-sim job.*.et", folder.path());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_NE(outcome.out.find("groups: job.comm_groups.json\n"), std::string::npos) << outcome.out;
}

}  // namespace
}  // namespace nadi
