// nadi profile: what it prints and writes, and what it refuses.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/sample_traces.h"
#include "tests/cli/tool.h"

namespace nadi {
namespace {

class ProfileVerb : public ToolTest {
 protected:
  void SetUp() override {
    folder_.write("device.json", kSampleDevice);
    folder_.write("host.json", kSampleHost);
  }
};

TEST_F(ProfileVerb, AnswersFromATraceAloneFromAPairAndFromTheirGraph) {
  const Outcome alone = run("profile device.json");
  EXPECT_EQ(alone.exit_code, 0) << alone.err;
  EXPECT_TRUE(holds(alone.out, "Where the device's time goes")) << alone.out;
  EXPECT_TRUE(holds(alone.out, "gemm"));
  EXPECT_TRUE(holds(alone.out, "aten::mm"));
  const Outcome pair = run("profile host.json device.json");
  EXPECT_EQ(pair.exit_code, 0) << pair.err;
  ASSERT_EQ(run("-q convert --host host.json --device device.json --output step").exit_code, 0);
  const Outcome graph = run("profile step.3.et");
  EXPECT_EQ(graph.exit_code, 0) << graph.err;
  const auto behind_name = [](const std::string& text) { return text.substr(text.find(": ")); };
  EXPECT_EQ(behind_name(graph.out), behind_name(pair.out));
}

TEST_F(ProfileVerb, WritesAllOfItAsTheNameOfTheOutputSays) {
  ASSERT_EQ(run("-q profile device.json --output p.json").exit_code, 0);
  const auto json = nlohmann::json::parse(read_file(folder_.path() / "p.json"));
  EXPECT_EQ(json["ranks"][0]["rank"], 3);
  EXPECT_EQ(json["devices"][0]["length_ns"], 5000);
  EXPECT_EQ(json["devices"][0]["computation_ns"], 5000);
  EXPECT_EQ(json["kernels"][0]["name"], "gemm");
  ASSERT_EQ(run("-q profile device.json --output p.csv").exit_code, 0);
  EXPECT_TRUE(holds(read_file(folder_.path() / "p.csv"), "kernel,0,,,,gemm,sum_ns,5000\n"));
  ASSERT_EQ(run("-q profile device.json --output p.html").exit_code, 0);
  EXPECT_TRUE(holds(read_file(folder_.path() / "p.html"), "<html"));
  const Outcome piped = run("profile device.json --output -");
  EXPECT_EQ(nlohmann::json::parse(piped.out)["ranks"].size(), 1U);
  const Outcome both = run("-q profile device.json --output q.csv --report r.json");
  EXPECT_EQ(both.exit_code, 0) << both.err;
  EXPECT_EQ(nlohmann::json::parse(read_file(folder_.path() / "r.json")), json);
  EXPECT_EQ(read_file(folder_.path() / "q.csv"), read_file(folder_.path() / "p.csv"));
}

TEST_F(ProfileVerb, LeavesOutOfTablesWhatIsNotKnown) {
  const std::string kernel = R"("cat": "kernel", "name": ")";
  for (const std::string rank : {"2", "3"}) {
    std::string device = kSampleDevice;
    device.replace(device.find(R"("rank": 3)"), 9, R"("rank": )" + rank);
    device.replace(device.find(kernel + "gemm"), kernel.size() + 4,
                   kernel + "ncclDevKernel_Generic_4");
    folder_.write("nccl." + rank + ".json", device);
  }
  ASSERT_EQ(run("-q profile nccl.2.json nccl.3.json --output p.csv --report p.json").exit_code, 0);
  const std::string csv = read_file(folder_.path() / "p.csv");
  const auto json = nlohmann::json::parse(read_file(folder_.path() / "p.json"));
  ASSERT_EQ(json["ranks"].size(), 2U);
  EXPECT_TRUE(holds(csv, "collective,0,,,,unknown,transfer_ns,5000\n")) << csv;
  for (const std::string measure : {"bytes", "size"}) {
    EXPECT_TRUE(json["collectives"][0][measure].is_null()) << measure;
    EXPECT_FALSE(holds(csv, ",unknown," + measure + ",")) << measure;
  }
  EXPECT_TRUE(json["waiting"].empty()) << "nothing tells that they meet";
  EXPECT_TRUE(json["devices"][0]["exposed_waiting_ns"].is_null());
  EXPECT_FALSE(holds(csv, "exposed_waiting_ns"));
}

TEST_F(ProfileVerb, OfStepsThatAreChosenTellsTheseAlone) {
  const std::string device = NADI_TEST_DATA + std::string("/multi-step/device.0.json.gz");
  ASSERT_EQ(run("-q profile " + device + " --output all.json").exit_code, 0);
  const auto steps_of = [&](const char* file) {
    std::vector<int> steps;
    const auto json = nlohmann::json::parse(read_file(folder_.path() / file));
    for (const auto& step : json["steps"]) steps.push_back(step["step"]);
    return steps;
  };
  const std::vector<int> all = steps_of("all.json");
  ASSERT_GT(all.size(), 1U);
  const std::string first = std::to_string(all.front());
  ASSERT_EQ(run("-q profile " + device + " --output one.json --steps " + first).exit_code, 0);
  EXPECT_EQ(steps_of("one.json"), std::vector<int>{all.front()});
  ASSERT_EQ(run("-q convert " + device + " --output step").exit_code, 0);
  ASSERT_EQ(run("-q profile step.0.et --output one.json --steps " + first).exit_code, 0);
  EXPECT_EQ(steps_of("one.json"), std::vector<int>{all.front()});
  const Outcome none = run("profile step.0.et --steps 7777");
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_TRUE(holds(none.err, "--steps: no work in the steps 7777 to 7777. There are the steps "))
      << none.err;
}

TEST_F(ProfileVerb, TellsWhichModuleLaunchedWhatAndNoWhatIfChangesForIt) {
  std::string device = kSampleDevice;
  const std::string module =
      R"({"ph": "X", "cat": "python_function", "name": "nn.Module: Linear_0", "pid": 4, "tid": 4,
          "ts": 10.000, "dur": 20.000, "args": {"Python id": 1}}, )";
  const std::string_view list = "\"traceEvents\": [";
  device.insert(device.find(list) + list.size(), module);
  folder_.write("module.json", device);
  ASSERT_EQ(run("-q profile module.json --output p.json").exit_code, 0);
  const auto json = nlohmann::json::parse(read_file(folder_.path() / "p.json"));
  const auto of_module = std::find_if(json["ops"].begin(), json["ops"].end(), [](const auto& op) {
    return op["name"] == "nn.Module: Linear_0";
  });
  ASSERT_NE(of_module, json["ops"].end());
  EXPECT_EQ((*of_module)["launched"], 1);
  EXPECT_EQ((*of_module)["device_ns"], 5000);
  EXPECT_EQ((*of_module)["own_ns"], 0);
  for (const char* const scale : {"host=0.5", "kernels=3"}) {
    std::vector<std::string> reports;
    for (const std::string trace : {"device.json", "module.json"}) {
      ASSERT_EQ(run("-q replay " + trace + " --scale " + scale + " --report r.json").exit_code, 0);
      const auto told = nlohmann::json::parse(read_file(folder_.path() / "r.json"));
      reports.push_back(told["replayed_ns"].dump() + " " + told["scaled_ns"].dump());
    }
    EXPECT_EQ(reports[0], reports[1]) << scale;
  }
}

TEST_F(ProfileVerb, PageNamesBothTracesInTheCommandThatDrawsANode) {
  ASSERT_EQ(run("-q profile host.json device.json --output p.html").exit_code, 0);
  const std::string page = read_file(folder_.path() / "p.html");
  EXPECT_TRUE(holds(page, R"("input":["host.json","device.json"])"));
}

TEST_F(ProfileVerb, OfALongFirstCallAsksForStepsThatWarmUp) {
  const std::string trace = std::string(NADI_SHARED_TRACES) + "/late-return/device.json.gz";
  if (!std::filesystem::exists(trace)) GTEST_SKIP() << trace << " is missing";
  const Outcome outcome = run("profile " + trace);
  EXPECT_TRUE(holds(outcome.out, "s at once), at: aten::add")) << outcome.out;
  EXPECT_TRUE(holds(outcome.out, "Is it the first use of something")) << outcome.out;
}

TEST_F(ProfileVerb, FindingsAreOfTheTimeThatIsProfiled) {
  const std::string traces = std::string(NADI_SHARED_TRACES) + "/";
  if (!std::filesystem::exists(traces)) GTEST_SKIP() << traces << " is missing";
  const std::string late = run("profile " + traces + "event-sync/device.json.gz").out;
  EXPECT_TRUE(holds(late, "The first device row begins 2.810 ms after the first op")) << late;
  EXPECT_TRUE(holds(late, "longest op until then: aten::empty")) << late;
  EXPECT_FALSE(holds(late, "Is it the first use")) << late;  // of some microseconds
  const std::string rocm = "profile " + traces + "rocm/device.json.gz", unknown = "nor a record";
  EXPECT_TRUE(holds(run(rocm).out, unknown));
  EXPECT_FALSE(holds(run(rocm + " --steps 16").out, unknown));  // it has known ones alone
}

TEST_F(ProfileVerb, RefusesWhatItCannotProfileAndSaysWhatToPass) {
  folder_.write("page.html", "<html></html>");
  for (const char* const arguments :
       {"profile host.json", "profile page.html", "profile nowhere"}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 3) << arguments << outcome.err;
    EXPECT_TRUE(outcome.out.empty()) << arguments;
  }
  const std::string data = NADI_TEST_DATA;
  const Outcome unlike =
      run("profile " + data + "/ddp-2rank/host.0.json.gz " + data + "/multi-step/device.0.json.gz");
  EXPECT_EQ(unlike.exit_code, 3) << unlike.out;
  EXPECT_TRUE(holds(unlike.err, "or use nadi convert --match force to keep")) << unlike.err;
  folder_.write("empty.json", "");
  EXPECT_NE(run("profile empty.json").err.find("this is an empty file, not a device trace"),
            std::string::npos);
  EXPECT_EQ(run("profile device.json --output device.json").exit_code, 2);
  EXPECT_EQ(run("profile device.json --output p.et").exit_code, 2);
  EXPECT_EQ(run("profile device.json --output p.txt").exit_code, 2);
}

}  // namespace
}  // namespace nadi
