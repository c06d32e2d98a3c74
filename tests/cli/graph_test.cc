// nadi graph: pictures of the sample training step.
#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

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

TEST_F(GraphVerb, OfGraphmlHasTheTimeOfEveryDelay) {
  const Outcome outcome = run("graph g.0.et --output g.graphml");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::string text = read_file(folder_.path() / "g.graphml");
  const auto key_of = [&](const std::string& name) {
    std::smatch key;
    const std::regex pattern("<key id=\"(key[0-9]+)\" for=\"node\" attr.name=\"" + name + "\"");
    EXPECT_TRUE(std::regex_search(text, key, pattern)) << name;
    return "<data key=\"" + key[1].str() + "\">";
  };
  const std::string kind = key_of("kind"), duration = key_of("duration_ns");
  std::int64_t sum = 0;
  for (std::size_t at = text.find("<node "); at != std::string::npos;
       at = text.find("<node ", at + 1))
    if (between(text, kind, at) == "delay") sum += std::stoll(between(text, duration, at));
  EXPECT_GT(sum, 0);
  EXPECT_EQ(sum, time_of_delays());
}

}  // namespace
}  // namespace nadi
