#include "nadi/base/diagnostics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace nadi {
namespace {

/// "SyncUnresolved" of "sync-unresolved".
std::string in_camel_case(std::string_view name) {
  std::string camel;
  bool begins = true;
  for (const char c : name) {
    if (c != '-') camel += static_cast<char>(begins ? std::toupper(c) : c);
    begins = c == '-';
  }
  return camel;
}

TEST(Finding, KindsAreInTheOrderOfTheirNamesEachOnce) {
  const auto is_behind = [](const FindingInfo& a, const FindingInfo& b) {
    return a.name == b.name ? a.severity == b.severity : a.name > b.name;
  };
  const auto found = std::ranges::adjacent_find(all_findings(), is_behind);
  EXPECT_EQ(found, all_findings().end()) << found->name;
}

TEST(Finding, KindsAreExplainedInSentences) {
  for (const FindingInfo& kind : all_findings()) {
    EXPECT_TRUE(kind.meaning.ends_with('.')) << kind.name;
    EXPECT_TRUE(kind.remedy.empty() || kind.remedy.ends_with('.')) << kind.name;
  }
}

TEST(Finding, KindsAreAllReportedSomewhereByTheirNames) {
  namespace fs = std::filesystem;
  std::ostringstream sources;
  for (const char* folder : {"lib", "converters", "sim_bridge"})
    for (const auto& file : fs::recursive_directory_iterator(fs::path(NADI_SOURCE_DIR) / folder))
      if (file.path().extension() == ".cc") sources << std::ifstream(file.path()).rdbuf();
  const std::string text = sources.str();
  for (const FindingInfo& kind : all_findings())
    EXPECT_NE(text.find("Finding::k" + in_camel_case(kind.name)), text.npos) << kind.name;
}

TEST(Diagnostics, KeepTheFirstPlacesAndCountAll) {
  Diagnostics diagnostics;
  for (const char* place : {"a", "", "b", "c", "d"}) diagnostics.report(Finding::kOverlap, place);
  ASSERT_EQ(diagnostics.table().size(), 1U);
  EXPECT_EQ(diagnostics.table()[0].first, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(diagnostics.count(Finding::kOverlap), 5U);
  EXPECT_FALSE(diagnostics.has_loss());
}

TEST(Diagnostics, OfTwoKindsOfOneNameTheWorseIsShown) {
  for (const auto& [first, second] :
       {std::pair(Finding::kGarbageTime, Finding::kGarbageTimeOfRow),
        std::pair(Finding::kGarbageTimeOfRow, Finding::kGarbageTime)}) {
    Diagnostics diagnostics;
    diagnostics.report(first, "a");
    diagnostics.report(second, "b");
    ASSERT_EQ(diagnostics.table().size(), 1U);
    EXPECT_EQ(diagnostics.count(first), 2U);
    EXPECT_TRUE(diagnostics.has_loss());
  }
}

TEST(Diagnostics, AskForAPlaceOnlyWhereItIsKept) {
  Diagnostics diagnostics;
  int asked = 0;
  for (int i = 0; i < 5; ++i)
    diagnostics.report(Finding::kOverlap, [&] { return std::to_string(++asked); });
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(diagnostics.count(Finding::kOverlap), 5U);
}

TEST(Diagnostics, HaveTheSeverityOfTheirKind) {
  Diagnostics diagnostics;
  diagnostics.report(Finding::kGarbageTimeOfRow, "");
  EXPECT_FALSE(diagnostics.has_loss());
  diagnostics.report(Finding::kTruncatedInput, "");
  EXPECT_TRUE(diagnostics.has_loss());
}

}  // namespace
}  // namespace nadi
