// Device traces that hold the rows of several processes: each becomes what it would be alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/tool.h"

namespace nadi {
namespace {

using TraceJson = nlohmann::ordered_json;

const std::string kRanksFolder = NADI_TEST_DATA "/ddp-2rank/";
const std::string kSameIds = NADI_TEST_DATA "/../cases/merged-ranks/same-ids.json";

TraceJson read_trace_json(const std::string& path) { return TraceJson::parse(read_unpacked(path)); }

/// The events of both ranks in the first rank's file, as tools that merge files leave them.
TraceJson merged_ranks() {
  TraceJson merged = read_trace_json(kRanksFolder + "device.0.json.gz");
  const TraceJson second = read_trace_json(kRanksFolder + "device.1.json.gz");
  for (const TraceJson& event : second["traceEvents"]) merged["traceEvents"].push_back(event);
  return merged;
}

/// In time order, as other tools leave them.
TraceJson sorted_by_time(TraceJson trace) {
  auto& events = trace["traceEvents"].get_ref<TraceJson::array_t&>();
  std::stable_sort(events.begin(), events.end(), [](const TraceJson& a, const TraceJson& b) {
    return a.value("ts", 0.0) < b.value("ts", 0.0);
  });
  return trace;
}

class Processes : public ToolTest {
 protected:
  /// All that `show` tells of a graph but its metadata, which names the process.
  std::string nodes_of(const std::string& graph) {
    const std::string text = run("show " + graph).out;
    return text.substr(std::min(text.find("\"nodes\""), text.size()));
  }
  void expect_ranks_as_alone(const TraceJson& merged, const std::vector<TraceJson>& alone) {
    folder_.write("merged.json", merged.dump());
    const Outcome outcome = run("convert --strict --device merged.json --output merged");
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_TRUE(holds(outcome.err, "several-processes")) << outcome.err;
    for (std::size_t rank = 0; rank < alone.size(); ++rank) {
      folder_.write("alone.json", alone[rank].dump());
      run("convert --device alone.json --output alone");
      const std::string graph = "." + std::to_string(rank) + ".et";
      EXPECT_GT(nodes_of("alone" + graph).size(), 10000U);
      EXPECT_TRUE(nodes_of("merged" + graph) == nodes_of("alone" + graph)) << rank;
    }
  }
};

TEST_F(Processes, OfOneFileBecomeTheGraphsThatTheyAreAlone) {
  const std::vector<TraceJson> alone = {read_trace_json(kRanksFolder + "device.0.json.gz"),
                                        read_trace_json(kRanksFolder + "device.1.json.gz")};
  expect_ranks_as_alone(merged_ranks(), alone);
  expect_ranks_as_alone(sorted_by_time(merged_ranks()),
                        {sorted_by_time(alone[0]), sorted_by_time(alone[1])});
}

TEST_F(Processes, ThatNumberTheirDevicesAlikeAreToldApartByTheFile) {
  TraceJson merged = merged_ranks();
  for (TraceJson& event : merged["traceEvents"]) {
    if (event["pid"] == 1) event["pid"] = 0;
    if (event.contains("args") && event["args"].value("device", -1) == 1)
      event["args"]["device"] = 0;
  }
  folder_.write("merged.json", merged.dump());
  const Outcome outcome = run("convert --strict --device merged.json --output merged");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_FALSE(holds(outcome.err, "process-guessed")) << outcome.err;
  for (const char* graph : {"merged.0.et", "merged.1.et"})
    EXPECT_TRUE(holds(run(std::string("show --summary ") + graph).out, "17 device row")) << graph;
}

TEST_F(Processes, AreToldInSumsWhereTheyAreMany) {
  std::string events;
  for (int pid = 101; pid <= 109; ++pid) {
    const std::string at = ", \"pid\": " + std::to_string(pid) + ", \"tid\": 1, \"ts\": ";
    const std::string launch = std::to_string(pid);
    events += std::string(events.empty() ? "" : ",") +
              R"({"ph": "X", "cat": "cpu_op", "name": "aten::mm")" + at + R"(1, "dur": 9},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel")" +
              at + R"(2, "dur": 3, "args": {"correlation": )" + launch + R"(}},
{"ph": "X", "cat": "kernel", "name": "gemm", "pid": )" +
              std::to_string(pid - 101) + R"(, "tid": 7, "ts": 6, "dur": 5, "args": {"device": )" +
              std::to_string(pid - 101) + R"(, "stream": 7, "correlation": )" + launch + "}}";
  }
  folder_.write("merged.json", R"({"traceEvents": [)" + events + "]}");
  const Outcome outcome = run("convert merged.json");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.starts_with("merged.0.et to merged.8.et: 9 ranks converted\n"))
      << outcome.out;
  EXPECT_TRUE(holds(outcome.out, "9 of 9 device rows")) << outcome.out;
  EXPECT_TRUE(holds(run("convert merged.json -v").out, "\nmerged.8.et (rank 8) in "));
}

TEST_F(Processes, AreChosenByPidOrByTheHostTrace) {
  folder_.write("merged.json", merged_ranks().dump());
  const std::string host = "convert --host " + kRanksFolder + "host.1.json.gz --device ";
  ASSERT_EQ(run(host + kRanksFolder + "device.1.json.gz --output alone").exit_code, 0);
  const Outcome outcome = run(host + "merged.json --output merged");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.err, "process-left-out")) << outcome.err;
  EXPECT_TRUE(nodes_of("merged.1.et") == nodes_of("alone.1.et"));

  ASSERT_EQ(run("convert --device " + kSameIds + " --process 200 --output one").exit_code, 0);
  EXPECT_FALSE(holds(folder_.listing(), "one.0.et")) << folder_.listing();
  const Outcome wrong = run("convert --device " + kSameIds + " --process 7 --output none");
  EXPECT_EQ(wrong.exit_code, 3);
  EXPECT_TRUE(holds(wrong.err,
                    "holds no process 7, but of 100, 200. Choose one of these with "
                    "--process"))
      << wrong.err;
}

TEST_F(Processes, OfEqualIdsLaunchOnTheirOwnDevices) {
  const Outcome outcome = run("convert --device " + kSameIds + " --output merged");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const auto& [graph, device] : {std::pair{"merged.0.et", 0}, std::pair{"merged.1.et", 1}}) {
    const std::string summary = run(std::string("show --summary ") + graph).out;
    EXPECT_TRUE(holds(summary, "device " + std::to_string(device) + " stream 7")) << summary;
    EXPECT_FALSE(holds(summary, "device " + std::to_string(1 - device) + " stream 7")) << summary;
  }
  const std::string events = run("-q events " + kSameIds + " --only-args correlation").out;
  for (const char* row : {"1,cudaLaunchKernel,cuda_runtime,100,100,13,4,1001,2,",
                          "2,gemm_0,kernel,0,7,100,50,1001,1,",
                          "17,cudaLaunchKernel,cuda_runtime,200,200,16,4,1001,18,",
                          "18,gemm_0,kernel,1,7,103,75,1001,17,"})
    EXPECT_TRUE(holds(events, row)) << events;
}

TEST_F(Processes, WithoutDeviceRowsAreLeftOutAndNamed) {
  folder_.write("t.json", R"({"traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 4, "tid": 4, "ts": 1, "dur": 9},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 4, "tid": 4, "ts": 2, "dur": 1,
 "args": {"correlation": 5}},
{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 6, "dur": 2,
 "args": {"device": 0, "stream": 7, "correlation": 5}},
{"ph": "X", "cat": "cpu_op", "name": "aten::stack", "pid": 9, "tid": 9, "ts": 1, "dur": 9}]})");
  const Outcome outcome = run("convert --device t.json --output t");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(folder_.listing(), "t.0.et t.json");
  EXPECT_TRUE(holds(outcome.err, "pid 9: 1 op, 0 calls, 0 device rows")) << outcome.err;
  EXPECT_FALSE(holds(run("show t.0.et").out, "aten::stack"));
  EXPECT_EQ(run("convert --device t.json --process 9 --output other").exit_code, 0);
}

TEST_F(Processes, ThatLostAllRowsAreALoss) {
  TraceJson merged = read_trace_json(kSameIds);
  std::erase_if(merged["traceEvents"].get_ref<TraceJson::array_t&>(),
                [](const TraceJson& event) { return event["pid"] == 1; });
  folder_.write("t.json", merged.dump());
  const Outcome strict = run("convert --strict --device t.json --output t");
  EXPECT_EQ(strict.exit_code, 1);
  EXPECT_TRUE(holds(strict.err, "5 launches have no device row")) << strict.err;
  EXPECT_EQ(folder_.listing(), "t.json");
}

TEST_F(Processes, WhoseDeviceRowsStandTogetherBehindAllOthersAreToldApart) {
  TraceJson merged = read_trace_json(kSameIds);
  auto& events = merged["traceEvents"].get_ref<TraceJson::array_t&>();
  std::stable_partition(events.begin(), events.end(),
                        [](const TraceJson& event) { return event["cat"] != "kernel"; });
  folder_.write("t.json", merged.dump());
  const Outcome outcome = run("convert --device t.json --output t");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.err, "process-guessed")) << outcome.err;
  EXPECT_TRUE(holds(run("show --summary t.0.et").out, "device 0 stream 7"));
  EXPECT_TRUE(holds(run("show --summary t.1.et").out, "device 1 stream 7"));
}

TEST_F(Processes, AreRefusedWhereOneGraphIsAskedFor) {
  const std::string device = "--device " + kSameIds;
  for (const std::string& verb :
       {"link " + device + " --output l.json", "convert " + device + " --output-file x.et"}) {
    const Outcome outcome = run(verb);
    EXPECT_NE(outcome.exit_code, 0) << verb;
    EXPECT_TRUE(holds(outcome.err, "several processes") && holds(outcome.err, "--process"))
        << outcome.err;
  }
  EXPECT_EQ(folder_.listing(), "");
}

TEST_F(Processes, AreExaminedOneByOne) {
  const Outcome outcome = run("doctor --device " + kSameIds);
  EXPECT_TRUE(holds(outcome.out, "2 in one file: pids 100, 200")) << outcome.out;
  EXPECT_TRUE(holds(run("doctor -v --device " + kSameIds).out, "pid 200, launches"));
  EXPECT_FALSE(holds(run("doctor --device " + kSameIds + " --process 100").out, "pid 200,"));
}

TEST_F(Processes, OfOneFileMakeAJob) {
  folder_.write("merged.json", merged_ranks().dump());
  const Outcome outcome = run("convert --target astra-sim --device merged.json --output job");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(holds(folder_.listing(), "job.0.et job.1.et")) << folder_.listing();
}

}  // namespace
}  // namespace nadi
