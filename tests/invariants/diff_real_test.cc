// Diffs of real traces equal those of HTA's TraceDiff (facebookresearch/HolisticTraceAnalysis).
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "nadi/converters/diff/diff.h"
#include "nadi/converters/diff/write_diff.h"

namespace nadi {
namespace {

std::string file(const std::string& name) {
  return std::string(NADI_SHARED_TRACES) + "/trace-diff/" + name;
}

std::string read_all(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class DiffsOfHta : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(file("control.json.gz")))
      GTEST_SKIP() << "no real traces beside this repository";
  }
  static DiffReport diff(const DiffChoice& choice) {
    return diff_traces({{file("control.json.gz")}}, {{file("test.json.gz")}}, choice);
  }
};

/// HTA's tables are of floating point: "2.0" is our "2".
std::string without_fraction(std::string csv) {
  for (std::size_t at; (at = csv.find(".0,")) != std::string::npos;) csv.erase(at, 2);
  return csv;
}

std::string csv_of(const DiffReport& report) {
  std::string text;
  write_diff_csv(report, [&](std::string_view bytes) { text += bytes; });
  return text;
}

TEST_F(DiffsOfHta, OfFullNamesAreEqual) {
  EXPECT_EQ(csv_of(diff({})),
            without_fraction(read_all(file("expected.first-iteration.all.full-names.csv"))));
}

TEST_F(DiffsOfHta, OfShortNamesOfHostRowsAreEqual) {
  EXPECT_EQ(csv_of(diff({.device = DiffDevice::kHost, .by = DiffBy::kShortName})),
            without_fraction(read_all(file("expected.first-iteration.host.short-names.csv"))));
}

TEST_F(DiffsOfHta, HaveTheSameFiveGroups) {
  std::string text;
  write_diff_json(diff({}), {}, [&](std::string_view bytes) { text += bytes; });
  const auto groups = nlohmann::json::parse(text).at("ops_diff");
  const auto expected =
      nlohmann::json::parse(read_all(file("expected.ops-diff.first-iteration.all.json")));
  ASSERT_EQ(expected.size(), 5u);
  for (const auto& [group, names] : expected.items()) EXPECT_EQ(groups.at(group), names) << group;
}

}  // namespace
}  // namespace nadi
