// nadi convert --gpu: the kernels of a job on another device.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/archive_runs.h"

namespace nadi {
namespace {

class OnAnotherDevice : public ArchiveTest {
 protected:
  /// The device that the traces tell.
  void write_traces(const std::string& device) {
    std::vector<Member> traces = traces_of_ranks(2);
    const std::string name = "NVIDIA Virtual Machine";
    for (Member& trace : traces)
      if (const std::size_t at = trace.bytes.find(name); at != std::string::npos)
        trace.bytes.replace(at, name.size(), device);
    write_folder(path("traces"), traces);
  }
};

TEST_F(OnAnotherDevice, TakesAnEstimateAndSaysHowMuchItRestsOn) {
  write_traces("NVIDIA A100-SXM4-80GB");
  const Outcome outcome =
      convert("--traces traces --target astra-sim --gpu H200 --scale host=0.5 --report r.json");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.out, "nodes) and kernels on H200 a replay takes ")) << outcome.out;
  EXPECT_TRUE(holds(outcome.out, "Warning: the times on H200 are an estimate")) << outcome.out;
  EXPECT_TRUE(holds(read_file(path("out/x.system.json")), "\"local-mem-bw\": 4800"));
  const auto gpu = nlohmann::json::parse(read_file(path("r.json")))["jobs"][0]["scaled"]["gpu"];
  EXPECT_EQ(gpu["name"], "H200");
  EXPECT_GT(gpu["kernels_ns"], gpu["from_shapes_ns"]);
  EXPECT_GT(gpu["from_shapes_ns"], 0);
}

TEST_F(OnAnotherDevice, OfAFileHasItsFigures) {
  write_traces("NVIDIA A100-SXM4-80GB");
  folder_.write(
      "half.json",
      R"({"tflops_of_16_bits": 156, "tflops_of_32_bits": 78, "memory_gb_per_s": 1019.5})");
  ASSERT_EQ(convert("--traces traces --delays all --gpu half.json").exit_code, 0);
  ASSERT_EQ(run("convert --traces traces --delays all --output out/y --scale kernels=2").exit_code,
            0);
  // Copies from the host take their time on any device, all else twice as long.
  const auto replayed = [&](const std::string& prefix) -> std::int64_t {
    const Outcome outcome =
        run("replay --quiet --report - out/" + prefix + ".0.et out/" + prefix + ".1.et");
    return nlohmann::json::parse(outcome.out)["replayed_ns"];
  };
  EXPECT_LE(replayed("x"), replayed("y"));
  EXPECT_GT(replayed("x"), 390'000);
  EXPECT_TRUE(holds(run("show out/x.0.et").out, "\"half\""));
  EXPECT_TRUE(holds(run("replay out/x.0.et out/x.1.et").out, " (kernels on half)\n"));
  const Outcome simulated = convert("--traces traces --gpu half.json --simulate");
  EXPECT_TRUE(holds(simulated.out, "out/x.0.et: replayed ")) << simulated.out;
  EXPECT_TRUE(holds(simulated.out, ", what-if ")) << simulated.out;
  EXPECT_FALSE(holds(simulated.out, "measured")) << simulated.out;
}

TEST_F(OnAnotherDevice, NeedsDevicesThatAreKnown) {
  write_traces("NVIDIA A100-SXM4-80GB");
  const Outcome unknown = convert("--traces traces --gpu H1000");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_TRUE(holds(unknown.err,
                    "--gpu H1000: is neither a device that is known nor a file. Known are B300, "))
      << unknown.err;
  for (const char* name : {"H100 PCIe", "h100 pcie"}) {
    const Outcome known = convert(std::string("--traces traces --gpu '") + name + "'");
    EXPECT_EQ(known.exit_code, 0) << known.err;
    EXPECT_TRUE(holds(known.out, "H100 PCIe")) << name << known.out;
  }
  write_traces("A thing");
  const Outcome recorded = convert("--traces traces --gpu H200");
  EXPECT_EQ(recorded.exit_code, 3);
  EXPECT_TRUE(holds(recorded.err, "was recorded on a device that nobody knows: A thing"))
      << recorded.err;
}

TEST_F(OnAnotherDevice, OfAFileIsRefusedWhereASettingIsUnknownMissingOrNoFigure) {
  write_traces("NVIDIA A100-SXM4-80GB");
  const auto refusal = [&](const std::string& settings) {
    folder_.write("bad.json", settings);
    const Outcome outcome = convert("--traces traces --gpu bad.json");
    EXPECT_EQ(outcome.exit_code, 3) << settings;
    return outcome.err;
  };
  const std::string mistyped = refusal(
      R"({"tflops_of_16_bits": 156, "tflops_of_32_bits": 78, "memory_gbps": 1, "memory_gb_per_s": 1})");
  EXPECT_TRUE(holds(mistyped, "bad.json, memory_gbps: is none of the settings of this file. "))
      << mistyped;
  EXPECT_TRUE(holds(mistyped, "Did you mean memory_gb_per_s?")) << mistyped;
  EXPECT_TRUE(holds(mistyped, "Known are tflops_of_16_bits, tflops_of_32_bits, memory_gb_per_s, "))
      << mistyped;
  const std::string missing = refusal(R"({"tflops_of_16_bits": 156, "memory_gb_per_s": 1})");
  EXPECT_TRUE(holds(missing, "bad.json, tflops_of_32_bits: is missing. Write ")) << missing;
  const std::string none = refusal("tflops_of_16_bits: 156\ntflops_of_32_bits: 0\n");
  EXPECT_TRUE(holds(none, "bad.json, tflops_of_32_bits: is no number above 0. ")) << none;
}

}  // namespace
}  // namespace nadi
