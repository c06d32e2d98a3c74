// Each golden folder converts into what it expects; NADI_UPDATE_GOLDEN=1 rewrites the expectations.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "nadi/base/error.h"
#include "nadi/chakra/chakra_check.h"
#include "nadi/emit/chakra_writer.h"
#include "tests/file_bytes.h"
#include "tests/golden/case.h"
#include "tests/golden/graph_text.h"

namespace nadi::golden {
namespace {

struct Outcome {
  std::string text;
  bool is_error = false;
};

/// Findings of `nadi check` in the file the graph would become.
std::string findings_in(const LinkedTrace& linked, const BuiltGraph& graph) {
  std::string bytes;
  Diagnostics diagnostics;
  write_chakra(
      linked, graph, {}, [&](std::string_view piece) { bytes += piece; }, diagnostics);
  std::string text;
  for (const CheckFinding& finding : check_chakra(messages_of_bytes(bytes, "graph")).findings)
    if (severity_of(finding.rule) != CheckSeverity::kNote)
      text += std::string(to_string(severity_of(finding.rule))) +
              " of nadi check: " + std::string(to_string(finding.rule)) + "\n";
  return text;
}

/// Places of the case's files would differ from machine to machine.
std::string without_folder(std::string text, const Case& c) {
  const std::string folder = c.folder.string() + "/";
  for (std::size_t at; (at = text.find(folder)) != std::string::npos;)
    text.erase(at, folder.size());
  return text;
}

Outcome convert(const Case& c) {
  try {
    Diagnostics diagnostics;
    const LinkedTrace linked = read_and_link(c.traces, c.link, c.strict, diagnostics);
    const BuiltGraph graph = build_graph(linked, c.graph, diagnostics);
    return {without_folder(graph_text(linked, graph, diagnostics), c) + findings_in(linked, graph),
            false};
  } catch (const Error& error) {
    return {without_folder(error.what(), c) + "\n", true};
  }
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
}

class Golden : public testing::TestWithParam<std::string> {};

TEST_P(Golden, TheCaseConvertsIntoWhatItExpects) {
  const Case c = load_case(GetParam());
  const Outcome outcome = convert(c);
  const std::filesystem::path expected =
      c.folder / (outcome.is_error ? "expected_error.txt" : "expected.txt");
  EXPECT_FALSE(read_file(c.folder / "why.txt").empty()) << "why.txt says what the case is for";
  if (std::getenv("NADI_UPDATE_GOLDEN") != nullptr) {
    std::filesystem::remove(c.folder / "expected.txt");
    std::filesystem::remove(c.folder / "expected_error.txt");
    std::ofstream(expected, std::ios::binary) << outcome.text;
    GTEST_SKIP() << "rewrote " << expected;
  }
  ASSERT_TRUE(std::filesystem::exists(expected))
      << (outcome.is_error ? "failed, which is not expected:\n" : "did not fail as expected:\n")
      << outcome.text;
  EXPECT_EQ(outcome.text, read_file(expected));
}

TEST(GoldenFolders, AreThere) { EXPECT_GE(case_names().size(), 40U); }

INSTANTIATE_TEST_SUITE_P(Cases, Golden, testing::ValuesIn(case_names()), test_name);

}  // namespace
}  // namespace nadi::golden
