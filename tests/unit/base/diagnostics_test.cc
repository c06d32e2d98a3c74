#include "nadi/base/diagnostics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace nadi {
namespace {

TEST(DiagnosticKinds, AreInTheOrderOfTheirNamesEachOnce) {
  const auto is_behind = [](const DiagnosticInfo& a, const DiagnosticInfo& b) {
    return a.name == b.name ? a.severity == b.severity : a.name > b.name;
  };
  const auto* const found =
      std::adjacent_find(std::begin(kDiagnosticKinds), std::end(kDiagnosticKinds), is_behind);
  EXPECT_EQ(found, std::end(kDiagnosticKinds)) << found->name;
}

TEST(DiagnosticKinds, AreExplainedInSentences) {
  for (const DiagnosticInfo& kind : kDiagnosticKinds) {
    EXPECT_TRUE(kind.meaning.ends_with('.')) << kind.name;
    EXPECT_TRUE(kind.remedy.empty() || kind.remedy.ends_with('.')) << kind.name;
  }
}

TEST(DiagnosticKinds, AreAllReportedSomewhere) {
  namespace fs = std::filesystem;
  std::ostringstream sources;
  for (const char* folder : {"lib", "converters", "sim_bridge"})
    for (const auto& file : fs::recursive_directory_iterator(fs::path(NADI_SOURCE_DIR) / folder))
      if (file.path().extension() == ".cc") sources << std::ifstream(file.path()).rdbuf();
  const std::string text = sources.str();
  for (const DiagnosticInfo& kind : kDiagnosticKinds)
    EXPECT_NE(text.find('"' + std::string(kind.name) + '"'), text.npos) << kind.name;
}

TEST(Diagnostics, KeepTheFirstPlacesAndCountAll) {
  Diagnostics diagnostics;
  for (const char* place : {"a", "", "b", "c", "d"}) diagnostics.report("overlap", place);
  ASSERT_EQ(diagnostics.table().size(), 1U);
  EXPECT_EQ(diagnostics.table()[0].first, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(diagnostics.count("overlap"), 5U);
  EXPECT_FALSE(diagnostics.has_loss());
}

TEST(Diagnostics, AskForAPlaceOnlyWhereItIsKept) {
  Diagnostics diagnostics;
  int asked = 0;
  for (int i = 0; i < 5; ++i)
    diagnostics.report("overlap", [&] { return std::to_string(++asked); });
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(diagnostics.count("overlap"), 5U);
}

TEST(Diagnostics, HaveTheSeverityOfTheirKind) {
  Diagnostics diagnostics;
  diagnostics.report({"garbage-time", Severity::kWarning}, "");
  EXPECT_FALSE(diagnostics.has_loss());
  diagnostics.report("truncated-input", "");
  EXPECT_TRUE(diagnostics.has_loss());
}

}  // namespace
}  // namespace nadi
