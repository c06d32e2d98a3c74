// Perfetto traces where device traces are taken.
#include <gtest/gtest.h>

#include "tests/cli/tool.h"
#include "tests/perfetto_bytes.h"

namespace nadi {
namespace {

class Perfetto : public ToolTest {
 protected:
  void SetUp() override {
    const std::string text = read_file(
        NADI_SOURCE_DIR "/tests/golden/p05-perfetto-trace-of-eager-kernels/device.pftrace.txt");
    for (const char* name : {"rank0_trace.pftrace", "rank1_trace.pftrace"})
      folder_.write(name, test::perfetto_bytes(text));
  }
};

TEST_F(Perfetto, EveryVerbThatTakesADeviceTraceTakesIt) {
  for (const char* arguments :
       {"convert --device rank0_trace.pftrace --output out",
        "link --device rank0_trace.pftrace --output linked.json", "events rank0_trace.pftrace",
        "diff rank0_trace.pftrace rank1_trace.pftrace", "doctor --device rank0_trace.pftrace"}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << arguments << "\n" << outcome.err;
  }
  EXPECT_TRUE(holds(run("events rank0_trace.pftrace").out, "aten::mm,cpu_op,100,101,"));
}

TEST_F(Perfetto, RanksOfAFolderAreToldByTheNamesOfTheFiles) {
  const Outcome outcome = run("convert --traces . --output graphs/job");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* graph : {"graphs/job.0.et", "graphs/job.1.et"})
    EXPECT_TRUE(std::filesystem::exists(folder_.path() / graph)) << graph;
}

TEST_F(Perfetto, TwoDeviceTracesAreTheFormsOfOne) {
  const std::string twice = "--device rank0_trace.pftrace --device rank1_trace.pftrace";
  for (const char* verb : {"convert ", "link ", "doctor "}) {
    const std::string output = verb == std::string("doctor ") ? "" : " --output out";
    const Outcome outcome = run(verb + twice + output);
    EXPECT_EQ(outcome.exit_code, 3);
    EXPECT_TRUE(holds(outcome.err, "are device traces of one form")) << outcome.err;
  }
  EXPECT_EQ(run("doctor " + twice + " --device a").err,
            "nadi: --device a: is a third device trace. Give one, or the JSON and the .pftrace of "
            "one run\n");
}

}  // namespace
}  // namespace nadi
