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
            "With kernel:gemm=0.5 (8 nodes), host=0.8 (152 nodes) a replay takes 339.400 us "
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
  EXPECT_TRUE(holds(outcome.out, "The what-if time is 686.000 us. ")) << outcome.out;
  EXPECT_TRUE(holds(outcome.out, "With kernels=2 (")) << outcome.out;
  EXPECT_TRUE(holds(outcome.out, "with the shortest what-if communication")) << outcome.out;
  EXPECT_TRUE(holds(outcome.out, "The fit repeats the times of the what-if")) << outcome.out;
  EXPECT_FALSE(holds(outcome.out, "recorded time")) << outcome.out;
}

TEST_F(ScaledGraphs, AreOfAWhatIfWhereverTheirTimesAreShown) {
  const std::string rank = "traces/host.0.json traces/device.0.json --delays all --scale kernels=2";
  const Outcome outcome = run("convert " + rank + " --output z --simulate --html z.html");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.out, "As recorded, before the what-if:\nz.0.et (rank 0)"))
      << outcome.out;
  EXPECT_TRUE(holds(outcome.out, "z.0.et: replayed 678.000 us, what-if 678.000 us (+0.00 %)"))
      << outcome.out;
  EXPECT_TRUE(holds(read_file(path("z.html")), R"("what_if":"kernels=2")"));
  const Outcome again = run("replay z.0.et --html r.html --report r.json --output t.json");
  EXPECT_TRUE(holds(again.out, "  what-if         678.000 us (kernels=2)\n")) << again.out;
  EXPECT_FALSE(holds(again.out, "measured")) << again.out;
  EXPECT_TRUE(holds(read_file(path("r.html")), R"("measured_word":"what-if")"));
  EXPECT_FALSE(holds(read_file(path("t.json")), "measured")) << "a lane of the timeline";
  const auto report = nlohmann::json::parse(read_file(path("r.json")));
  EXPECT_EQ(report["what_if"], nlohmann::json({"kernels=2"}));
  EXPECT_TRUE(report["measured_ns"].is_null());
  EXPECT_EQ(report["what_if_ns"], 678'000);
  EXPECT_TRUE(holds(run("profile z.0.et").out,
                    "\nThe times are those of a what-if, kernels=2: nobody measured them\n"));
  EXPECT_TRUE(holds(run("show z.0.et --summary").out,
                    "\ntimes  those of a what-if, kernels=2: nobody measured them\n"));
  ASSERT_EQ(run("convert traces/host.0.json traces/device.0.json --output y").exit_code, 0);
  EXPECT_FALSE(holds(run("show y.0.et --summary").out, "what-if"));
  const Outcome diff = run("diff y.0.et z.0.et --html d.html");
  EXPECT_TRUE(holds(diff.out,
                    "\nThe times of test are those of a what-if, kernels=2: nobody "
                    "measured them\n"))
      << diff.out;
  EXPECT_FALSE(holds(diff.out, "The times of control")) << diff.out;
  EXPECT_TRUE(holds(read_file(path("d.html")), R"("what_if":"kernels=2")"));
  EXPECT_EQ(nlohmann::json::parse(run("diff y.0.et z.0.et --format json").out)["test"]["what_if"],
            nlohmann::json({"kernels=2"}));
}

TEST_F(ScaledGraphs, GiveJobsTheirTimesLater) {
  ASSERT_EQ(convert("--traces traces --delays all --scale kernels=2").exit_code, 0);
  const Outcome job = run("convert out/x.0.et out/x.1.et --target astra-sim --report r.json");
  ASSERT_EQ(job.exit_code, 0) << job.err;
  EXPECT_TRUE(holds(job.out, "The what-if time is 686.000 us. ")) << job.out;
  const auto report = nlohmann::json::parse(read_file(path("r.json")));
  EXPECT_TRUE(report["recorded_span_ns"].is_null());
  EXPECT_EQ(report["what_if_span_ns"], 686'000);
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
