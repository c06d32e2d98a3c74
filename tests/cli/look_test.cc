// nadi show, check and doctor.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/sample_traces.h"
#include "tests/cli/tool.h"

namespace nadi {
namespace {

class Look : public testing::Test {
 protected:
  void SetUp() override {
    folder_.write("host.json", kSampleHost);
    folder_.write("device.json", kSampleDevice);
    ASSERT_EQ(run("convert --host host.json --device device.json --output out -q").exit_code, 0);
    graph_ = read_file(folder_.path() / "out.3.et");
  }
  Outcome run(const std::string& arguments) { return run_tool(arguments, folder_.path()); }

  TemporaryFolder folder_;
  std::string graph_;
};

TEST_F(Look, ShowPrintsOneJsonDocument) {
  const Outcome outcome = run("show out.3.et");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_TRUE(json.contains("metadata"));
  EXPECT_GE(json["nodes"].size(), 2U);
}

TEST_F(Look, ShowReadsStandardInputAndWritesToAFile) {
  const std::string document = run("show out.3.et").out;
  EXPECT_EQ(run("show - <out.3.et").out, document);
  const Outcome outcome = run("show out.3.et --output y.json");
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(read_file(folder_.path() / "y.json"), document);
}

TEST_F(Look, ShowOfABrokenFileExitsWith3AndLeavesNoFile) {
  folder_.write("cut.et", graph_.substr(0, graph_.size() - 5));
  const Outcome outcome = run("show cut.et --output y.json");
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_NE(outcome.err.find("cut.et"), std::string::npos) << outcome.err;
  EXPECT_EQ(folder_.listing(), "cut.et device.json host.json out.3.et");
}

TEST_F(Look, ShowOfSomethingElseExitsWith3) {
  const Outcome outcome = run("show device.json");
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(outcome.err.substr(0, 17), "nadi: device.json") << outcome.err;
}

TEST_F(Look, TheSummaryCountsNodesAndLanes) {
  const Outcome outcome = run("show --summary out.3.et");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("1 delay, 1 device row"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("device 0 stream 7"), std::string::npos) << outcome.out;
}

TEST_F(Look, CheckAcceptsWhatConvertWrites) {
  const Outcome outcome = run("check out.3.et");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_EQ(outcome.out.substr(0, 13), "out.3.et: ok:");
}

TEST_F(Look, CheckOfABrokenFileExitsWith1AndShowsTheFinding) {
  folder_.write("cut.et", graph_.substr(0, graph_.size() - 5));
  const Outcome outcome = run("check out.3.et cut.et");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.out.find("cut.et: failed:"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("framing"), std::string::npos) << outcome.out;
}

TEST_F(Look, CheckOfAMissingFileExitsWith3) { EXPECT_EQ(run("check none.et").exit_code, 3); }

std::string replaced(std::string text, const std::string& part, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += by.size())
    text.replace(at, part.size(), by);
  return text;
}

TEST_F(Look, AnOpNamedDelayIsWorkLikeAnyOther) {
  const auto outputs_with_op = [&](const std::string& name) {
    folder_.write("device.json", replaced(kSampleDevice, "aten::mm", name));
    EXPECT_EQ(run("convert --device device.json --output named -q").exit_code, 0);
    std::string text;
    for (const char* arguments :
         {"show --summary named.3.et", "check named.3.et", "replay named.3.et --scale host=2",
          "diff --control named.3.et --test named.3.et"}) {
      const Outcome outcome = run(arguments);
      EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
      text += outcome.out;
    }
    return text;
  };
  const std::string with_delay = outputs_with_op("delay");
  EXPECT_NE(with_delay.find("1 delay, 1 device row"), std::string::npos) << with_delay;
  EXPECT_EQ(with_delay, replaced(outputs_with_op("dalay"), "dalay", "delay"));
}

TEST_F(Look, DoctorExitsWith0UnlessStrictFindsSomethingImportant) {
  const std::string arguments = "doctor --host host.json --device device.json";
  const Outcome outcome = run(arguments);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("enable_cuda_sync_events=True"), std::string::npos) << outcome.out;
  EXPECT_EQ(run(arguments + " --strict").exit_code, 1);
}

TEST_F(Look, DoctorOfSomethingThatIsNoTraceExitsWith3) {
  EXPECT_EQ(run("doctor --device out.3.et").exit_code, 3);
}

}  // namespace
}  // namespace nadi
