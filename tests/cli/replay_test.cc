// nadi replay: the summary, what-if, report and timeline of two ranks.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/cli/tool.h"

namespace nadi {
namespace {

using Json = nlohmann::json;

/// g.0.et and g.1.et, of a training step that took 390 us.
class ReplayVerb : public ToolTest {
 protected:
  void SetUp() override {
    const Outcome outcome = run("convert --quiet --traces " + std::string(NADI_TEST_DATA) +
                                "/ddp-2rank --delays all --output g");
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  }
  Json json_of(const std::string& file) { return Json::parse(read_file(folder_.path() / file)); }
};

TEST_F(ReplayVerb, OfAnUnchangedGraphGivesTheMeasuredTime) {
  const Outcome outcome = run("replay g.0.et g.1.et");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.out, "measured        390.000 us\n")) << outcome.out;
  EXPECT_TRUE(holds(outcome.out, "replayed        390.000 us (+0.00 %)\n")) << outcome.out;
  EXPECT_TRUE(holds(outcome.out, "2 communications of several ranks matched")) << outcome.out;
}

TEST_F(ReplayVerb, SaysBeforeAndAfterAndHowManyNodesAScaleMeant) {
  const Outcome outcome = run("replay g.*.et --scale kernel:gemm=2 --scale host=3");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.out, "with kernel:gemm=2 (8 nodes), host=3 (")) << outcome.out;
}

TEST_F(ReplayVerb, RefusesAScaleThatAppliesToNoNodeAndNamesWhatItCouldApplyTo) {
  const Outcome outcome = run("replay g.*.et --scale stream:999=3 --report r.json");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(holds(outcome.err, "--scale stream:999=3: applies to no node. The streams are 7, "))
      << outcome.err;
  EXPECT_EQ(folder_.listing(), "g.0.et g.1.et");
}

/// How many slices of a timeline there are, and how long they are in all.
struct Slices {
  int count = 0;
  double micros = 0;
};
/// By run, of names with this part.
std::map<std::string, Slices> slices_of(const Json& timeline, const std::string& name = "") {
  std::map<std::string, Slices> slices;
  for (const Json& event : timeline["traceEvents"]) {
    if (event["ph"] != "X" || !holds(event["name"].get<std::string>(), name)) continue;
    Slices& of_run = slices[event["cat"]];
    ++of_run.count;
    of_run.micros += event["dur"].get<double>();
  }
  return slices;
}

/// The lanes that a timeline names, with the run: "stream 7 scaled".
std::set<std::string> timeline_lanes(const Json& timeline) {
  std::set<std::string> names;
  for (const Json& event : timeline["traceEvents"])
    if (event["name"] == "thread_name") names.insert(event["args"]["name"]);
  return names;
}

TEST_F(ReplayVerb, TimelineHasTheScaledRunBesideTheOthers) {
  ASSERT_EQ(run("replay --quiet g.*.et --scale kernel:gemm=2 --output t.json").exit_code, 0);
  const Json timeline = json_of("t.json");
  auto gemm = slices_of(timeline, "gemm");
  ASSERT_EQ(gemm.size(), 3U);
  EXPECT_EQ(gemm["replayed"].count, 8);
  EXPECT_DOUBLE_EQ(gemm["replayed"].micros, gemm["measured"].micros);
  EXPECT_DOUBLE_EQ(gemm["scaled"].micros, 2 * gemm["replayed"].micros);
  for (const char* run : {"measured", "replayed", "scaled"})
    EXPECT_TRUE(timeline_lanes(timeline).contains(std::string("device 0 stream 7 ") + run)) << run;
}

TEST_F(ReplayVerb, ReportHoldsTheSameAsNumbers) {
  const Outcome outcome = run("replay --quiet g.0.et g.1.et --scale host=0.5 --report r.json");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  const Json report = json_of("r.json");
  EXPECT_EQ(report["measured_ns"], 390000);
  EXPECT_EQ(report["replayed_ns"], 390000);
  EXPECT_LT(report["scaled_ns"], 390000);
  EXPECT_EQ(report["ranks"].size(), 2U);
  EXPECT_GT(report["scaled_nodes"][0], 100);
}

TEST_F(ReplayVerb, TimelineShowsEachLaneMeasuredAndReplayedWithArrowsToANode) {
  const Outcome outcome = run("replay --quiet g.0.et g.1.et --output t.json --flows-of 1:30");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  std::map<std::string, int> slices, phases;
  std::set<Json> pids, tids;
  const Json timeline = json_of("t.json");
  for (const Json& event : timeline["traceEvents"]) {
    ++phases[event["ph"]];
    if (event["ph"] == "X") ++slices[event["cat"]];
    pids.insert(event["pid"]);
    if (event.contains("tid")) tids.insert(event["tid"]);
  }
  EXPECT_GT(slices["measured"], 0);
  EXPECT_EQ(slices["measured"], slices["replayed"]);
  EXPECT_GT(phases["s"], 0);
  EXPECT_EQ(phases["s"], phases["f"]);
  EXPECT_EQ(pids.size(), 2U);
  for (const Json& pid : pids) EXPECT_FALSE(tids.contains(pid)) << "Perfetto's main thread";
}

TEST_F(ReplayVerb, OfTwoGraphsOfOneRankIsRefusedAndLeavesNoFile) {
  const Outcome outcome = run("replay g.0.et g.0.et --output t.json");
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_TRUE(holds(outcome.err, "g.0.et: is of rank 0, as g.0.et is. Pass one graph per rank"))
      << outcome.err;
  EXPECT_EQ(folder_.listing(), "g.0.et g.1.et");
}

TEST_F(ReplayVerb, RefusesScalesThatAreNone) {
  for (const char* scale : {"gpu=2", "host", "host=x", "stream:a=2", "'kernel:(=2'", "host=-1"}) {
    const Outcome outcome = run(std::string("replay g.0.et --scale ") + scale);
    EXPECT_EQ(outcome.exit_code, 2) << scale;
    EXPECT_TRUE(holds(outcome.err, "nadi: --scale ")) << outcome.err;
  }
}

}  // namespace
}  // namespace nadi
