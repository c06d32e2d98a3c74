// nadi convert of several ranks and for simulators: names, mapping, report, what is refused.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/sample_traces.h"
#include "tests/cli/tool.h"

namespace nadi {
namespace {

/// The sample's device trace as another rank's, of another process.
std::string device_of_rank(int rank) {
  std::string text = kSampleDevice;
  text.replace(text.find("\"rank\": 3"), 9, "\"rank\": " + std::to_string(rank));
  for (std::size_t at = 0; (at = text.find("\"pid\": 4", at)) != std::string::npos; ++at)
    text.replace(at, 8, "\"pid\": " + std::to_string(rank + 40));
  return text;
}

/// Ranks 1 and 2 of 4, which do not communicate.
class Job : public ToolTest {
 protected:
  void SetUp() override {
    folder_.write("t1.json", device_of_rank(1));
    folder_.write("t2.json", device_of_rank(2));
  }
};

TEST_F(Job, SaysWhereEachRecordedRankWentAndUnderWhichNumber) {
  const Outcome outcome = run(
      "convert --traces . --target astra-sim --communication network --output o --missing drop");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.out, "o.recorded/rank.<rank>.et.zst: 2 ranks converted"))
      << outcome.out;
  EXPECT_TRUE(holds(outcome.out, "In the job, ranks 0-1 were recorded as ranks 1-2.\n"))
      << outcome.out;
  EXPECT_TRUE(holds(outcome.out, "The recorded time is 20.000 us. ")) << outcome.out;
  EXPECT_EQ(folder_.listing(),
            "o.0.et o.1.et o.comm_groups.json o.memory.json o.network.yml o.recorded o.system.json "
            "t1.json t2.json");
  const Outcome in_detail =
      run("convert --traces . --target astra-sim --communication network --output o --missing drop "
          "--verbose");
  EXPECT_TRUE(holds(in_detail.out, "o.1.et (recorded rank 2) in ")) << in_detail.out;
}

TEST_F(Job, WhoseRanksDoNotCommunicateTakesItsMeasuredTimeUnlessANetworkIsAskedFor) {
  const std::string command = "convert --traces . --target astra-sim --missing drop --output o";
  const Outcome outcome = run(command);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.out, "No rank communicates, so all take their measured times"))
      << outcome.out;
  EXPECT_TRUE(holds(outcome.out, "The recorded time is 20.000 us. The run takes 20.0"))
      << outcome.out;
  EXPECT_FALSE(holds(run(command + " --network h100").out, "measured times"));
}

TEST_F(Job, SystemFileHoldsTheRecordedDeviceElseAnH100WhichIsSaid) {
  const std::string command = "convert --traces . --target astra-sim --missing drop --output ";
  const Outcome unnamed = run(command + "o");
  EXPECT_TRUE(holds(unnamed.out, "  device-unknown ")) << unnamed.out;
  EXPECT_TRUE(holds(unnamed.out, "rank 1: no name")) << unnamed.out;
  EXPECT_TRUE(holds(read_file(folder_.path() / "o.system.json"), "\"local-mem-bw\": 3350,"));
  for (const int rank : {1, 2}) {
    std::string text = device_of_rank(rank);
    text.insert(1, R"("deviceProperties": [{"id": 0, "name": "NVIDIA A100-SXM4-80GB"}], )");
    folder_.write("t" + std::to_string(rank) + ".json", text);
  }
  const Outcome named = run(command + "a");
  ASSERT_EQ(named.exit_code, 0) << named.err;
  EXPECT_FALSE(holds(named.out, "device-unknown")) << named.out;
  const std::string system = read_file(folder_.path() / "a.system.json");
  EXPECT_TRUE(holds(system, "\"local-mem-bw\": 2039,")) << system;
  EXPECT_TRUE(holds(system, "\"peak-perf\": 312\n")) << system;
  ASSERT_EQ(run(command + "r --communication replay").exit_code, 0);
  EXPECT_TRUE(holds(read_file(folder_.path() / "r.system.json"), "\"local-mem-bw\": 2039,"));
}

TEST_F(Job, ForGoalNamesTheScheduleAndNoGraph) {
  const Outcome outcome = run("convert --traces . --target goal --output o");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.out, "\no.goal (2 ranks): ")) << outcome.out;
  EXPECT_TRUE(holds(outcome.out,
                    "\nRun it with ATLAHS' LogGOPSim\n  txt2bin -i o.goal -o o.bin && \\\n"
                    "  LogGOPSim -f o.bin -L 1872 -o 0 -g 0 -G 0.00232831\n"))
      << outcome.out;
  EXPECT_EQ(folder_.listing(), "o.goal o.recorded t1.json t2.json");
  ASSERT_EQ(run("convert --traces . --target goal --lanes one --output one").exit_code, 0);
  EXPECT_FALSE(holds(read_file(folder_.path() / "one.goal"), " cpu 1"));
  EXPECT_TRUE(holds(read_file(folder_.path() / "o.goal"), " cpu 1"));
}

TEST_F(Job, WarnsOfGraphsOfAnEarlierJobByName) {
  folder_.write("o.1.et", "old");
  folder_.write("o.2.et", "old");
  folder_.write("o.3.et", "old");
  const Outcome outcome =
      run("convert --traces . --target astra-sim --communication network --output o");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.out, "no part of this one: o.2.et, o.3.et.\n")) << outcome.out;
  EXPECT_TRUE(holds(folder_.listing(), "o.2.et"));
}

TEST_F(Job, ReportHoldsMembersTimesFilesFindingsAndTheCommand) {
  folder_.write("o.7.et", "old");
  ASSERT_EQ(run("convert --traces . --target astra-sim --communication network --output o --report "
                "r.json")
                .exit_code,
            0);
  const auto of_archive = nlohmann::json::parse(read_file(folder_.path() / "r.json"));
  EXPECT_TRUE(of_archive["failed"].empty());
  const auto& report = of_archive["jobs"][0];
  EXPECT_EQ(report["target"], "astra-sim");
  EXPECT_EQ(report["summary"]["ranks"], 2);
  EXPECT_EQ(report["members"][1]["recorded_rank"], 2);
  EXPECT_EQ(report["recorded_span_ns"], 20'000);
  EXPECT_EQ(report["communication_time"], "network");
  EXPECT_EQ(report["proxy_ranks"], 0);
  EXPECT_EQ(report["issue_rules"]["all_run"], true);
  EXPECT_GT(report["issue_rules"]["makespan_ns"], 0);
  // Ranks that do not communicate take as long on any network.
  EXPECT_EQ(report["issue_rules"]["network_makespan_ns"], report["issue_rules"]["makespan_ns"]);
  EXPECT_EQ(report["issue_rules"]["network_unknown"], "");
  EXPECT_TRUE(report["issue_rules"]["findings"].is_array());
  EXPECT_FALSE(report["rewritten"].empty());
  EXPECT_EQ(report["files"][0], "o.0.et");
  EXPECT_EQ(report["stale_outputs"], nlohmann::json::array({"o.7.et"}));
  EXPECT_TRUE(holds(report["command"], "--workload-configuration=o "));
  EXPECT_EQ(report["ranks"][1]["rank"], 2);
  EXPECT_EQ(report["ranks"][1]["output"], "o.1.et");
}

TEST_F(Job, OptionsWithoutEffectAreUsageErrors) {
  const std::string files = "convert --device t1.json --output o ";
  const std::string folder = "convert --traces . --output o ";
  const std::string replay = folder + "--target astra-sim --communication replay ";
  for (const std::string& arguments : {files + "--missing drop",
                                       files + "--unsupported map",
                                       files + "--dataset-splits 4",
                                       files + "--backend aware",
                                       folder + "--target goal --backend aware",
                                       files + "--ring-from 9",
                                       files + "--collectives ring",
                                       files + "--pattern '{rank}'",
                                       folder + "--missing copy",
                                       folder + "--rank 1",
                                       folder + "--host t1.json",
                                       folder + "--target goal --unsupported error",
                                       folder + "--target goal --dataset-splits 2",
                                       folder + "--target goal --collectives ring --ring-from 9",
                                       folder + "--target goal --simulate",
                                       folder + "--target goal --communication replay",
                                       files + "--communication network",
                                       replay + "--unsupported map",
                                       replay + "--dataset-splits 2",
                                       replay + "--network h100",
                                       replay + "--dims 2",
                                       folder + "--shard 0/2 --shard-base 1",
                                       folder + "--target astra-sim --ring-from 9",
                                       folder + "--target astra-sim --delays all",
                                       std::string("check t1.json --dataset-splits 4"),
                                       std::string("check t1.json --backend aware"),
                                       std::string("check t1.json --comm-groups g.json")}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << arguments << "\n" << outcome.err;
    EXPECT_TRUE(holds(outcome.err, " needs --") || holds(outcome.err, " excludes --"))
        << outcome.err;
    EXPECT_EQ(folder_.listing(), "t1.json t2.json") << arguments;
  }
}

TEST_F(Job, LanesAreForGoal) {
  for (const char* target : {"", " --target astra-sim"}) {
    const Outcome outcome = run(std::string("convert --traces . --output o --lanes one") + target);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_TRUE(holds(outcome.err, "--lanes: needs --target goal")) << outcome.err;
  }
}

TEST_F(Job, MemoryNodesAreForGraphsAlone) {
  for (const char* target : {"astra-sim", "goal"}) {
    const Outcome outcome =
        run(std::string("convert --traces . --output o --memory-nodes host --target ") + target);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_TRUE(holds(outcome.err, "--target: excludes --memory-nodes")) << outcome.err;
    EXPECT_TRUE(holds(outcome.err, "convert without --target")) << outcome.err;
  }
}

TEST_F(Job, CountsOutOfRangeAreToldInShortWords) {
  for (const std::string option :
       {"--dataset-splits -3", "--dataset-splits 0", "--dataset-splits 2x",
        "--dataset-splits 99999999999999999999"}) {
    const Outcome outcome = run("convert --traces . --target astra-sim --output o " + option);
    EXPECT_EQ(outcome.exit_code, 2) << option;
    EXPECT_TRUE(holds(outcome.err, "is no whole number from 1")) << outcome.err;
    EXPECT_LT(outcome.err.size(), 100U) << outcome.err;
  }
}

TEST_F(Job, MoreDatasetSplitsThanTheModelFollowsAreRefusedWithTheReason) {
  for (const std::string command : {"convert --traces . --target astra-sim --output o ",
                                    "check --profile astra-sim t1.json "}) {
    const Outcome outcome = run(command + "--dataset-splits 65537");
    EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
    EXPECT_TRUE(holds(outcome.err,
                      "--dataset-splits: 65,537 are more than 65,536: the simulator sends each "
                      "split of each collective on its own"))
        << outcome.err;
    EXPECT_EQ(folder_.listing(), "t1.json t2.json");
  }
}

TEST_F(Job, OfWhichARankCannotBeConvertedIsNotWritten) {
  folder_.write("t2.json", R"({"schemaVersion": 1, "distributedInfo": {"rank": 2, "world_size": 4},
 "traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 9, "ti)");
  const Outcome outcome = run("convert --traces . --target astra-sim --output o");
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_TRUE(holds(outcome.err, "rank 2 (./t2.json")) << outcome.err;
  EXPECT_TRUE(holds(outcome.err, "cut")) << outcome.err;
  EXPECT_TRUE(holds(outcome.err, "o: no job is written: 1 rank could not be converted"))
      << outcome.err;
  EXPECT_EQ(folder_.listing(), "o.recorded t1.json t2.json");
}

TEST_F(Job, SummaryAndCheckTellTheTimeOnTheNetworkOfTheFilesBesideTheGraphs) {
  const Outcome outcome =
      run("convert --traces . --target astra-sim --communication network --output o");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.out,
                    "with the shortest measured communication, and 17.000 us on the network of "
                    "o.network.yml.\n"))
      << outcome.out;
  const std::string check = "check --profile astra-sim o.0.et o.1.et";
  EXPECT_TRUE(holds(run(check).out,
                    "communication that the files have, and 17.000 us on the network of "
                    "o.network.yml\n"));
  EXPECT_FALSE(holds(run(check).out, "Files that run"));
  const auto expect_unknown = [&](const std::string& reason, int exit_code = 0) {
    const Outcome checked = run(check);
    EXPECT_EQ(checked.exit_code, exit_code) << checked.err;
    EXPECT_TRUE(holds(checked.out,
                      "and an unknown time on the network of o.network.yml (" + reason + ")\n"))
        << checked.out;
  };
  const std::string lists = "bandwidth: [ 400 ]\nlatency: [ 936 ]\n";
  folder_.write("o.network.yml", "topology: [ Switch ]\nnpus_count: [ 4 ]\n" + lists);
  expect_unknown("it has 4 NPUs, and the job 2 ranks", 1);
  EXPECT_TRUE(holds(run(check).out, "Files that run are what `nadi convert TRACES --target "));
  EXPECT_TRUE(holds(run(check).out, "rank 2: the network has 4 NPUs"));
  folder_.write("o.network.yml", "topology: [ Mesh ]\nnpus_count: [ 2 ]\n" + lists);
  expect_unknown("topology Mesh was not measured");
  folder_.write("o.network.yml", "topology: [ Switch ]\nnpus_count: [ 2 ]\n" + lists);
  std::string system = read_file(folder_.path() / "o.system.json");
  folder_.write("o.system.json", "{\"replay-only\": 1, " + system.substr(1));
  expect_unknown("the system file's replay-only was not measured");
  folder_.write("o.system.json", "{\"endpoint-delay\": 10}");
  expect_unknown("the system file has no preferred-dataset-splits");
  std::filesystem::remove(folder_.path() / "o.system.json");
  EXPECT_FALSE(holds(run(check).out, "network"));
}

TEST_F(Job, WithReplayedCommunicationHasARankForEachGroupAndNoGroupFile) {
  const Outcome outcome = run("convert --traces " NADI_TEST_DATA
                              "/ddp-2rank --target astra-sim "
                              "--communication replay --output o --report r.json");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(
      holds(outcome.out, "The job has 2 ranks, 1 more that replays what they communicate, "))
      << outcome.out;
  EXPECT_TRUE(holds(outcome.out, "rank 2 for what ranks 0-1 communicate")) << outcome.out;
  EXPECT_TRUE(holds(outcome.out, " more for work that ran side by side (the ")) << outcome.out;
  EXPECT_FALSE(holds(folder_.listing(), "comm_groups")) << folder_.listing();
  const auto report = nlohmann::json::parse(read_file(folder_.path() / "r.json"))["jobs"][0];
  EXPECT_EQ(report["communication_time"], "replay");
  EXPECT_EQ(report["proxy_ranks"], 1);
  EXPECT_EQ(report["members"].size(), 2U);
  // Beside the graphs three configuration files.
  EXPECT_EQ(report["files"].size(), 2U + 1U + report["side_ranks"].get<std::size_t>() + 3U);
  EXPECT_FALSE(holds(report["command"], "--comm-group-configuration"));
  EXPECT_EQ(report["issue_rules"]["network_makespan_ns"], report["issue_rules"]["makespan_ns"]);
  const Outcome check = run("check --profile astra-sim --strict o.*.et");
  EXPECT_EQ(check.exit_code, 0) << check.out;
  EXPECT_TRUE(holds(check.out, "all run under its issue rules")) << check.out;
}

TEST_F(Job, WithReplayedCommunicationTakesAsLongOnTheCongestionAwareProgram) {
  const std::string command = "convert --traces " NADI_TEST_DATA
                              "/ddp-2rank --target astra-sim --communication replay --output ";
  const auto time_of = [&](const std::string& name, const std::string& option) {
    EXPECT_EQ(run(command + name + " --report " + name + ".json" + option).exit_code, 0);
    return nlohmann::json::parse(read_file(folder_.path() / (name + ".json")))["jobs"][0];
  };
  const auto unaware = time_of("u", ""), aware = time_of("a", " --backend aware");
  EXPECT_TRUE(holds(aware["command"], "AstraSim_Analytical_Congestion_Aware "));
  EXPECT_EQ(aware["issue_rules"]["network_makespan_ns"],
            unaware["issue_rules"]["network_makespan_ns"]);
  EXPECT_TRUE(unaware["issue_rules"]["network_makespan_ns"].is_number());
  EXPECT_EQ(read_file(folder_.path() / "a.network.yml"),
            read_file(folder_.path() / "u.network.yml"));
  EXPECT_EQ(run("check --profile astra-sim --strict --backend aware a.*.et").exit_code, 0);
}

TEST_F(Job, SaysHowSureTheLinksAreToWhichTheNetworkIsFitted) {
  const Outcome outcome = run("convert --traces " NADI_TEST_DATA
                              "/ddp-2rank --target astra-sim --output o --report r.json");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.out, "  The times fit links from ")) << outcome.out;
  const auto fit =
      nlohmann::json::parse(read_file(folder_.path() / "r.json"))["jobs"][0]["network_fit"];
  const auto& link = fit["links"][0];
  EXPECT_EQ(fit["given_latency_ns"], 936);
  for (const char* number : {"latency_ns", "bandwidth_gb_per_s"}) {
    EXPECT_LE(link["least"][number], link[number]) << number;
    EXPECT_GE(link["most"][number], link[number]) << number;
  }
  EXPECT_EQ(holds(outcome.out, "they do not show where in between"),
            link["is_determined"] == false);
}

TEST_F(Job, WithReplayedCommunicationLeavesNoGroupFileOfAnEarlierJob) {
  const std::string command = "convert --traces " NADI_TEST_DATA
                              "/ddp-2rank --target astra-sim --output o --communication ";
  ASSERT_EQ(run(command + "network").exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder_.path() / "o.comm_groups.json"));
  ASSERT_EQ(run(command + "replay").exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "o.comm_groups.json"));
  const Outcome check = run("check --profile astra-sim o.*.et");
  EXPECT_EQ(check.exit_code, 0) << check.out;
  EXPECT_FALSE(holds(check.out, "groups: ")) << check.out;
}

TEST_F(Job, NetworkFilesThatCannotBeUnderstoodAreErrorsThatSayWhatToDo) {
  ASSERT_EQ(run("convert --traces . --target astra-sim --output o").exit_code, 0);
  const std::string system = read_file(folder_.path() / "o.system.json");
  const auto expect_error = [&](const char* file, const std::string& text,
                                const std::string& problem) {
    folder_.write(file, text);
    const Outcome outcome = run("check --profile astra-sim o.0.et o.1.et");
    EXPECT_EQ(outcome.exit_code, 3) << outcome.out;
    EXPECT_TRUE(holds(outcome.err, std::string(file) + problem)) << outcome.err;
    EXPECT_TRUE(holds(outcome.err, ". Write")) << outcome.err;
  };
  const std::string topology = "topology: [ Switch ]\nnpus_count: [ 2 ]\nlatency: [ 936 ]\n";
  expect_error("o.network.yml", "{[", ": is neither JSON nor YAML");
  expect_error("o.network.yml", "- 1", ": holds no names and values");
  expect_error("o.network.yml", topology, ", bandwidth: is missing");
  expect_error("o.network.yml", topology + "bandwidth: 400",
               ", bandwidth: is no list of a value per dimension");
  expect_error("o.network.yml", topology + "bandwidth: [ fast ]", ", bandwidth: is no number");
  expect_error("o.network.yml", topology + "bandwidth: [ 1, 2 ]",
               ": has lists of different lengths");
  expect_error("o.network.yml", topology + "bandwidth: [ 0 ]", ", bandwidth: is no machine's");
  folder_.write("o.network.yml", topology + "bandwidth: [ 400 ]");
  std::string changed = system;
  changed.replace(changed.find("\"endpoint-delay\": 10"), 20, "\"endpoint-delay\": 1.5");
  expect_error("o.system.json", changed, ", endpoint-delay: is no whole number");
}

TEST_F(Job, NetworksThatNoMachineHasAreRefusedBeforeTheWork) {
  folder_.write("two.yml",
                "topology: [ Switch, Switch ]\nnpus_count: [ 2, 2 ]\nbandwidth: [ 400, 50 ]\n"
                "latency: [ 936, 936 ]\n");
  folder_.write("one.yml",
                "topology: [ Switch, Switch ]\nnpus_count: [ 2, 1 ]\nbandwidth: [ 4, 4 ]\n"
                "latency: [ 9, 9 ]\n");
  const std::string command = "convert --traces . --output o --target ";
  const struct {
    const char *arguments, *message;
    int exit_code;
  } cases[] = {
      {"astra-sim --latency-ns 1e300", "is no number from 0 to a billion", 2},
      {"goal --latency-ns 1e300", "is no number from 0 to a billion", 2},
      {"astra-sim --link-gb-per-s 0", "is no number from 1e-06 to a billion", 2},
      {"astra-sim --topology Star", "is neither Switch, FullyConnected nor Ring", 2},
      {"astra-sim --dims 2,2", "holds 4 NPUs, and the job has 2", 2},
      {"goal --network fit", "is for --target astra-sim", 2},
      {"goal --network two.yml", "has links that differ", 2},
      {"astra-sim --network one.yml", "has a dimension of one NPU", 3},
      {"astra-sim --network none.yml", "none.yml", 3},
  };
  for (const auto& one : cases) {
    const Outcome outcome = run(command + one.arguments);
    EXPECT_EQ(outcome.exit_code, one.exit_code) << one.arguments << outcome.err;
    EXPECT_TRUE(holds(outcome.err, one.message)) << one.arguments << ": " << outcome.err;
  }
}

TEST_F(Job, TakesTheNetworkThatWasChosenOrFitted) {
  ASSERT_EQ(run("convert --traces . --target astra-sim --output o --network a100").exit_code, 0);
  EXPECT_TRUE(holds(read_file(folder_.path() / "o.network.yml"), "bandwidth: [ 279.3967"));
  ASSERT_EQ(run("convert --traces . --target astra-sim --output p --network o.network.yml "
                "--latency-ns 7")
                .exit_code,
            0);
  const std::string again = read_file(folder_.path() / "p.network.yml");
  EXPECT_TRUE(holds(again, "bandwidth: [ 279.3967") && holds(again, "latency: [ 7 ]")) << again;
  const Outcome goal = run("convert --traces . --target goal --output g --network p.network.yml");
  EXPECT_TRUE(holds(goal.out, "-L 14 -o 0 -g 0 -G 0.00333")) << goal.out;
}

TEST_F(Job, CheckSaysWhatItCouldNotSimulate) {
  folder_.write("g.0.et", "");
  folder_.write("g.1.et", "");
  const Outcome outcome = run("check --profile astra-sim g.0.et g.1.et");
  EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
  EXPECT_FALSE(holds(outcome.out, "all run")) << outcome.out;
  EXPECT_TRUE(holds(outcome.out, "not simulated as it stands:\n  no-nodes  the rank took no part"))
      << outcome.out;
  const Outcome of_folder = run("check --profile astra-sim .");
  EXPECT_EQ(of_folder.exit_code, 3);
  EXPECT_EQ(of_folder.err, "nadi: .: is a folder. Pass the graphs in it: ./*.et\n");
}

}  // namespace
}  // namespace nadi
