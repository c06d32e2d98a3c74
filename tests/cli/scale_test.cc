// nadi convert --scale: what-ifs in files.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/archive_runs.h"

namespace nadi {
namespace {

class ScaledGraphs : public ArchiveTest {
 protected:
  void SetUp() override { write_folder(path("traces"), traces_of_ranks(2)); }

  /// Makespan of a replay of out/x.0.et and x.1.et.
  std::int64_t replayed(const std::string& graphs, const std::string& scale = "") const {
    const Outcome outcome = run("replay --quiet " + graphs + " " + scale + " --report -");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    const auto report = nlohmann::json::parse(outcome.out);
    return report[scale.empty() ? "replayed_ns" : "scaled_ns"];
  }
};

TEST_F(ScaledGraphs, ReplayAsTheScalesSay) {
  ASSERT_EQ(convert("--traces traces --delays all").exit_code, 0);
  const std::string scale = "--scale kernel:gemm=0.5 --scale host=0.8";
  const std::int64_t expected = replayed("out/x.0.et out/x.1.et", scale);
  const Outcome outcome = run("convert --traces traces --delays all --output out/y " + scale);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(
      holds(outcome.out,
            "With kernel:gemm=0.5 (8 nodes), host=0.8 (148 nodes) a replay takes 339.400 us "
            "(-12.97 % of 390.000 us): the graphs have its times."))
      << outcome.out;
  EXPECT_EQ(replayed("out/y.0.et out/y.1.et"), expected);
}

TEST_F(ScaledGraphs, OfOneRankAreWrittenWithoutAFolder) {
  const std::string rank = "traces/host.0.json traces/device.0.json --delays all";
  const Outcome outcome = run("convert " + rank + " --output z --scale kernels=2 --report r.json");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.out, "The recorded graph stays in z.recorded/rank.<rank>.et.zst."))
      << outcome.out;
  ASSERT_EQ(run("convert " + rank + " --output plain").exit_code, 0);
  EXPECT_EQ(replayed("z.0.et"), replayed("plain.0.et", "--scale kernels=2"));
  const auto report = nlohmann::json::parse(read_file(path("r.json")));
  EXPECT_EQ(report["scaled"]["scales"], nlohmann::json({"kernels=2"}));
  EXPECT_EQ(report["scaled"]["scaled_ns"], replayed("z.0.et"));
}

TEST_F(ScaledGraphs, AreCheckedAndTellTheirScales) {
  ASSERT_EQ(convert("--traces traces --compress gzip --scale kernels=2").exit_code, 0);
  EXPECT_EQ(run("check out/x.0.et.gz out/x.1.et.gz").exit_code, 0);
  EXPECT_TRUE(holds(run("show out/x.0.et.gz").out, "\"kernels=2\""));
}

TEST_F(ScaledGraphs, GrowIntoLargerJobs) {
  const Outcome outcome = convert("--traces traces --delays all --world 4 --scale kernels=2");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  ASSERT_EQ(run("convert --traces traces --delays all --output out/p --world 4").exit_code, 0);
  const auto four = [](const std::string& prefix) {
    return prefix + ".0.et " + prefix + ".1.et " + prefix + ".2.et " + prefix + ".3.et";
  };
  EXPECT_EQ(replayed(four("out/x")), replayed(four("out/p"), "--scale kernels=2"));
}

TEST_F(ScaledGraphs, ForASimulatorTakeTheScaledTime) {
  const Outcome outcome = convert("--traces traces --target astra-sim --scale kernels=2");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.out, "The scaled time is ")) << outcome.out;
  EXPECT_TRUE(holds(outcome.out, "With kernels=2 (")) << outcome.out;
}

TEST_F(ScaledGraphs, OfAScaleThatMeansNothingAreRefusedAsByAReplay) {
  const Outcome outcome = convert("--traces traces --scale stream:999=3");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(holds(outcome.err, "--scale stream:999=3: applies to no node. The streams are 7, "))
      << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(path("out/x.0.et")));
}

}  // namespace
}  // namespace nadi
