// Which files of folders, archives and lists are visited.
#include "nadi/converters/archive/visit_sources.h"

#include <gtest/gtest.h>

#include "nadi/base/error.h"
#include "tests/temporary_folder.h"

namespace nadi {
namespace {

/// Names of what is visited, or what is wrong.
std::string visited(const std::string& source) {
  SourceOptions options;
  options.sources = {source};
  Diagnostics diagnostics;
  std::string names;
  try {
    visit_sources(
        options,
        [&](const SourceFile& file, const SourceProgress&) {
          names += (names.empty() ? "" : " ") + file.name;
          return true;
        },
        diagnostics);
  } catch (const Error& error) {
    return error.problem();
  }
  return names;
}

TEST(VisitSources, AListMayHoldBlanksAndComments) {
  const TemporaryFolder folder;
  folder.write("b.json", R"({"traceEvents": []})");
  folder.write("a.json", R"({"traceEvents": []})");
  const std::string list =
      folder.write("list", "# two traces\n\n  " + folder / "b.json" +
                               " \t\r\n\t# and the second:\n" + folder / "a.json");
  EXPECT_EQ(visited("@" + list), "b.json a.json");
}

TEST(VisitSources, AListNamesNoStandardInput) {
  const TemporaryFolder folder;
  EXPECT_EQ(visited("@" + folder.write("list", "-\n")), "names standard input");
}

TEST(HasStandardInput, WhereTheSourcesOrAListComeFromIt) {
  const auto has = [](const std::string& source) {
    SourceOptions options;
    options.sources = {"folder", source};
    return has_standard_input(options);
  };
  EXPECT_TRUE(has("-"));
  EXPECT_TRUE(has("@-"));
  EXPECT_FALSE(has("-x"));
}

}  // namespace
}  // namespace nadi
