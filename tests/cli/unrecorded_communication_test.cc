// Kernels that communicate and that no record describes: what each verb makes of them.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "tests/cli/tool.h"

namespace nadi {
namespace {

using Json = nlohmann::json;

/// Two ranks, each with four products of matrices of 25 us and, of 20 us each, a custom all-reduce,
/// one by multicast, a dispatch and a combine.
class UnrecordedCommunication : public ToolTest {
 protected:
  UnrecordedCommunication() {
    const std::string rank0 =
        read_file(NADI_TEST_DATA "/../cases/unrecorded-communication/device.0.json");
    std::filesystem::create_directory(folder_.path() / "traces");
    folder_.write("traces/device.0.json", rank0);
    folder_.write("traces/device.1.json", as_rank_1(rank0));
  }

 private:
  /// The same rows, of another process and on another device.
  static std::string as_rank_1(std::string trace) {
    for (const auto& [of_rank_0, of_rank_1] :
         {std::pair<std::string, std::string>{R"("rank": 0)", R"("rank": 1)"},
          {R"("pid": 100, "tid": 100)", R"("pid": 101, "tid": 101)"},
          {R"("pid": 0,)", R"("pid": 1,)"},
          {R"("device": 0)", R"("device": 1)"}})
      for (std::size_t at; (at = trace.find(of_rank_0)) != std::string::npos;)
        trace.replace(at, of_rank_0.size(), of_rank_1);
    return trace;
  }
};

TEST_F(UnrecordedCommunication, IsMarkedCountedAndWarnedOfWithItsShareOfTheDeviceTime) {
  const Outcome outcome = run("convert --device traces/device.0.json --output x --report x.json");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.out,
                    "  unrecorded   4: communicate, and nothing tells what: 80.000 us (44.4 % of "
                    "the device time)\n"))
      << outcome.out;
  EXPECT_TRUE(holds(outcome.err,
                    "communication-unrecorded  warning       4  44.4 % of the device "
                    "time, most by void "))
      << outcome.err;
  const Json report = Json::parse(read_file(folder_.path() / "x.json"));
  EXPECT_EQ(report["unrecorded_communications"], 4);
  EXPECT_EQ(report["unrecorded_communication_ns"], 80'000);
  EXPECT_EQ(report["device_ns"], 180'000);
  std::size_t marked = 0;
  const std::string shown = run("show x.0.et").out;
  for (std::size_t at = 0; (at = shown.find("comm_unrecorded", at)) != std::string::npos; ++at)
    ++marked;
  EXPECT_EQ(marked, 4U);
  EXPECT_TRUE(holds(run("show x.0.et --summary").out, "\nnot recorded              4      0\n"));
  EXPECT_EQ(run("check x.0.et").exit_code, 0);
}

TEST_F(UnrecordedCommunication, IsScaledAsCommunicationAndNotAsKernels) {
  ASSERT_EQ(run("convert -q --traces traces --delays all --output x").exit_code, 0);
  const auto replayed = [&](const std::string& scale) {
    const Outcome outcome = run("replay -q x.*.et --report - --scale " + scale);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return Json::parse(outcome.out);
  };
  const Json comm = replayed("comm=2"), kernels = replayed("kernels=1");
  EXPECT_EQ(comm["scaled_nodes"][0], 8);
  EXPECT_EQ(kernels["scaled_nodes"][0], 8);
  EXPECT_GT(comm["scaled_ns"], comm["replayed_ns"]);
}

TEST_F(UnrecordedCommunication, TakesItsMeasuredTimeInJobsForSimulators) {
  const Outcome outcome = run("convert --traces traces --target astra-sim --output job");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Outcome check = run("check --profile astra-sim job.*.et");
  EXPECT_EQ(check.exit_code, 0) << check.out;
  const Outcome shown = run("show job.0.et");
  EXPECT_TRUE(holds(shown.out, "cross_device_reduce_1stage")) << shown.out;
  EXPECT_FALSE(holds(shown.out, "COMM_COLL_NODE"));
}

TEST_F(UnrecordedCommunication, IsAFamilyOfKernelsInComparisonsAndAnAdviceOfTheDoctor) {
  const Outcome diff = run("diff traces/device.0.json traces/device.1.json --by kernel-family");
  EXPECT_TRUE(holds(diff.out, "communication")) << diff.out << diff.err;
  EXPECT_FALSE(holds(diff.out, "other")) << diff.out;
  const Outcome advice = run("doctor --device traces/device.0.json");
  EXPECT_TRUE(holds(advice.out, "communication-unrecorded: 4 times")) << advice.out;
}

}  // namespace
}  // namespace nadi
