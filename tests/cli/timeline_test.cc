// nadi timeline.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/timeline_slices.h"
#include "tests/cli/tool.h"

namespace nadi {
namespace {

constexpr const char* kLog =
    "issue,sys->id=0, tick=0, node->id=1, node->name=gemm, node->type=4\n"
    "callback,sys->id=0, tick=2500, node->id=1, node->name=gemm, node->type=4\n"
    "issue,sys->id=0, tick=2500, node->id=2, node->name=all_reduce, node->type=7\n";

TEST(Timeline, OfALogIsWrittenAndWhatIsUnfinishedSaid) {
  const TemporaryFolder folder;
  folder.write("x.log", kLog);
  const Outcome outcome = run_tool("timeline --input x.log --output t.json", folder.path());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out,
            "t.json: 1 node of 1 NPU, 2.500 us; open it in ui.perfetto.dev\n"
            "\n"
            "  unfinished  node  tick  name\n"
            "  NPU 0          2  2500  all_reduce\n");
  EXPECT_EQ(outcome.err,
            "\n"
            "  finding          severity  count  first\n"
            "  unfinished-node  loss          1  node 2 of NPU 0\n");
  const auto json = nlohmann::json::parse(read_file(folder.path() / "t.json"));
  EXPECT_EQ(json["traceEvents"].back()["name"], "all_reduce (unfinished)");
}

TEST(Timeline, OfALogAsPerfettoTraceShowsTheSameAsItsJson) {
  const TemporaryFolder folder;
  std::string log = kLog;
  for (int node = 10; node < 60; ++node)  // side by side
    log += "issue,sys->id=1, tick=" + std::to_string(node) + ", node->id=" + std::to_string(node) +
           ", node->name=gemm, node->type=4\n";
  for (int node = 10; node < 60; ++node)
    log += "callback,sys->id=1, tick=" + std::to_string(200 - node) +
           ", node->id=" + std::to_string(node) + ", node->name=gemm, node->type=4\n";
  folder.write("x.log", log);
  for (const char* file : {"t.json", "t.pftrace"})
    ASSERT_EQ(run_tool(std::string("-q timeline --input x.log --output ") + file, folder.path())
                  .exit_code,
              0);
  const Shown json = shown_by_json(read_file(folder.path() / "t.json")),
              perfetto = shown_by_perfetto(read_file(folder.path() / "t.pftrace"));
  EXPECT_EQ(json.slices.size(), 52U);
  EXPECT_EQ(json.tracks, perfetto.tracks);
  EXPECT_EQ(json.slices, perfetto.slices);
}

TEST(Timeline, TheOlderToolsOptionNamesAndStandardInputWork) {
  const TemporaryFolder folder;
  folder.write("x.log", kLog);
  const Outcome outcome = run_tool(
      "-q timeline --input_filename - --output_filename - --num_npus 1 --npu_frequency 1 <x.log",
      folder.path());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("\"ts\":0.000,\"dur\":2500.000"), std::string::npos) << outcome.out;
}

TEST(Timeline, StrictRefusesALogOfWhichSomethingNeverFinished) {
  const TemporaryFolder folder;
  folder.write("x.log", kLog);
  const Outcome strict = run_tool("timeline --input x.log --output b.json --strict", folder.path());
  EXPECT_EQ(strict.exit_code, 1);
  EXPECT_NE(strict.err.find("unfinished-node"), std::string::npos) << strict.err;
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "b.json"));
}

TEST(Timeline, StrictRefusesALogWithBrokenLines) {
  const TemporaryFolder folder;
  folder.write("x.log", std::string(kLog) + "callback,sys->id=0, tick=30\n");
  EXPECT_EQ(run_tool("timeline --input x.log --output a.json", folder.path()).exit_code, 0);
  const Outcome strict = run_tool("timeline --input x.log --output b.json --strict", folder.path());
  EXPECT_EQ(strict.exit_code, 1);
  EXPECT_NE(strict.err.find("broken-log-line"), std::string::npos) << strict.err;
  EXPECT_EQ(folder.listing(), "a.json x.log");
  folder.write("x.log", "issue,sys->id=0, tick=abc, node->id=1\n" + std::string(kLog));
  const Outcome in_front =
      run_tool("timeline --input x.log --output b.json --strict", folder.path());
  EXPECT_EQ(in_front.exit_code, 1) << in_front.err;
  EXPECT_EQ(folder.listing(), "a.json x.log");
}

TEST(Timeline, BadInputLeavesNothingBehind) {
  const TemporaryFolder folder;
  folder.write("x.log", "nothing\n");
  EXPECT_EQ(run_tool("timeline --input x.log --output t.json", folder.path()).exit_code, 3);
  EXPECT_EQ(run_tool("timeline --input y.log --output t.json", folder.path()).exit_code, 3);
  EXPECT_EQ(
      run_tool("timeline --input x.log --output t.json --frequency 0", folder.path()).exit_code, 2);
  EXPECT_EQ(
      run_tool("timeline --input x.log --output t.json --npus 1000001", folder.path()).exit_code,
      2);
  EXPECT_EQ(run_tool("timeline --input x.log --output y.foo", folder.path()).exit_code, 2);
  folder.write("log.json", "nothing\n");
  const Outcome same = run_tool("timeline --input log.json --output ./log.json", folder.path());
  EXPECT_EQ(same.exit_code, 2);
  EXPECT_EQ(same.err,
            "nadi: ./log.json: is an input and would be overwritten. Choose another name for the "
            "output\n");
  EXPECT_EQ(folder.listing(), "log.json x.log");
}

}  // namespace
}  // namespace nadi
