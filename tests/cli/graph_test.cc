// nadi graph: pictures of the sample training step.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "tests/cli/tool.h"

namespace nadi {
namespace {

using Json = nlohmann::json;

class GraphVerb : public ToolTest {
 protected:
  void SetUp() override {
    const Outcome outcome = run("convert --quiet --traces " + std::string(NADI_TEST_DATA) +
                                "/ddp-2rank --delays all --output g");
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  }
  /// Of all delays of g.0.et, as `nadi show` prints them.
  std::int64_t time_of_delays() {
    std::int64_t sum = 0;
    const Json graph = Json::parse(run("show g.0.et").out);
    for (const Json& node : graph["nodes"]) {
      if (node["name"] != "delay") continue;
      for (const Json& attribute : node["attr"])
        if (attribute["name"] == "duration_ns")
          sum += std::stoll(attribute["int64Val"].get<std::string>());
    }
    return sum;
  }
};

/// The text from behind the first `from` after `at` to the next tag.
std::string between(const std::string& text, const std::string& from, std::size_t at) {
  const std::size_t begin = text.find(from, at) + from.size();
  return text.substr(begin, text.find('<', begin) - begin);
}

/// The property of each node of GraphML, in their order.
std::vector<std::string> values_of(const std::string& graphml, const std::string& name) {
  std::smatch key;
  const std::regex pattern("<key id=\"(key[0-9]+)\" for=\"node\" attr.name=\"" + name + "\"");
  EXPECT_TRUE(std::regex_search(graphml, key, pattern)) << name;
  const std::string begin = "<data key=\"" + key[1].str() + "\">";
  std::vector<std::string> values;
  for (std::size_t at = graphml.find("<node "); at != std::string::npos;
       at = graphml.find("<node ", at + 1))
    values.push_back(between(graphml, begin, at));
  return values;
}

TEST_F(GraphVerb, OfGraphmlHasTheTimeOfEveryDelay) {
  const Outcome outcome = run("graph g.0.et --output g.graphml");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::string text = read_file(folder_.path() / "g.graphml");
  const auto kind = values_of(text, "kind"), duration = values_of(text, "duration_ns");
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < kind.size(); ++i)
    if (kind[i] == "delay") sum += std::stoll(duration[i]);
  EXPECT_GT(sum, 0);
  EXPECT_EQ(sum, time_of_delays());
}

TEST_F(GraphVerb, ThePictureIsNamedAfterTheInputWhereNoNameIsGiven) {
  const Outcome outcome = run("graph g.0.et --around 1 --hops 1");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(holds(read_file(folder_.path() / "g.0.svg"), "<svg"));
}

TEST_F(GraphVerb, CriticalPathIsOfTheFirstStepWhereNoneIsAskedFor) {
  const Outcome outcome = run("graph g.0.et --critical-path --output first.dot");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.out, " of step 3 (--step N or all for others)\n")) << outcome.out;
  const Outcome asked = run("graph g.0.et --critical-path --step 3 --output asked.dot");
  EXPECT_FALSE(holds(asked.out, "--step")) << asked.out;
  EXPECT_EQ(read_file(folder_.path() / "first.dot"), read_file(folder_.path() / "asked.dot"));
  EXPECT_TRUE(holds(read_file(folder_.path() / "asked.dot"), "g.0.et, step 3, critical path"));
  EXPECT_EQ(run("graph g.0.et --critical-path --step all --output all.dot").exit_code, 0);
  EXPECT_FALSE(holds(read_file(folder_.path() / "all.dot"), "step 3"));
  EXPECT_TRUE(holds(run("graph g.0.et --step x --output x.dot").err,
                    "nadi: --step x: is no step. Give its number, or all"));
}

TEST_F(GraphVerb, CriticalPathHasAtMost150NodesThatCountAllOfIt) {
  ASSERT_EQ(run("generate pipeline --npus 1 --layers 200 --hidden 256 --output p -q").exit_code, 0);
  const Outcome outcome = run("graph p.0.et --critical-path --output p.graphml");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::string text = read_file(folder_.path() / "p.graphml");
  const auto kind = values_of(text, "kind"), count = values_of(text, "count"),
             duration = values_of(text, "duration_ns"), delay = values_of(text, "delay_ns");
  EXPECT_LE(kind.size(), 150U);
  EXPECT_GT(kind.size(), 100U);
  std::int64_t nodes = 0, ns = 0, folds = 0;
  for (std::size_t i = 0; i < kind.size(); ++i) {
    nodes += std::stoll(count[i]);
    ns += std::stoll(duration[i]) + std::stoll(delay[i]);
    folds += kind[i] == "folded";
    EXPECT_EQ(kind[i] == "folded", count[i] != "1");
  }
  EXPECT_GT(folds, 0);
  EXPECT_GT(nodes, 500);
  ASSERT_EQ(run("replay p.0.et -q --report r.json").exit_code, 0);
  const Json report = Json::parse(read_file(folder_.path() / "r.json"));
  EXPECT_EQ(ns, report["replayed_ns"]);
}

TEST_F(GraphVerb, CriticalPathOfRealTracesIsDrawnAsTheHelpShowsIt) {
  const std::string traces = std::string(NADI_SHARED_TRACES) + "/";
  if (!std::filesystem::exists(traces)) GTEST_SKIP() << traces << " is missing";
  for (const std::string trace :
       {"resnet-2gpu/device.json.gz", "trace-diff/control.json.gz", "rocm/device.json.gz",
        "cuda-graph/device.json.gz", "mtia/device.json.gz"})
    for (const std::string collapse : {"", " --collapse call"}) {
      const Outcome outcome =
          run("graph " + traces + trace + " --critical-path" + collapse + " --output path.svg");
      EXPECT_EQ(outcome.exit_code, 0) << trace << collapse << outcome.err;
      const std::string svg = read_file(folder_.path() / "path.svg");
      std::size_t nodes = 0;
      for (std::size_t at = svg.find("class=\"node\""); at != std::string::npos;
           at = svg.find("class=\"node\"", at + 1))
        ++nodes;
      // The path of mtia is its DMA stream's, whose rows are one box where calls are.
      const bool is_one_box = trace.starts_with("mtia") && !collapse.empty();
      EXPECT_GT(nodes, is_one_box ? 0U : 1U) << trace;
      EXPECT_LE(nodes, 150U) << trace;
    }
}

}  // namespace
}  // namespace nadi
