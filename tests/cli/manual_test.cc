// Manual pages and completion, as the build writes them from the option tables.
#include <gtest/gtest.h>

#include "tests/cli/tool.h"

namespace nadi {
namespace {

class Manual : public testing::Test {
 protected:
  void SetUp() override {
    const Outcome outcome = run_tool("--write-manual manual", folder_.path());
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  }
  std::string file(const char* name) const { return read_file(folder_.path() / "manual" / name); }
  /// The line that holds the text.
  std::string line(const char* name, const std::string& text) const {
    const std::string all = file(name);
    const std::size_t at = all.find(text);
    if (at == std::string::npos) return "";
    const std::size_t begin = all.rfind('\n', at) + 1;
    return all.substr(begin, all.find('\n', at) - begin);
  }
  static int count(const std::string& text, const std::string& part) {
    int found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
      ++found;
    return found;
  }

  const TemporaryFolder folder_;
};

TEST_F(Manual, APageListsEveryOptionOnce) {
  const std::string page = file("man1/nadi-link.1");
  for (const char* option : {"\\fB\\-h,", "\\fB\\-v,", "\\fB\\-\\-host\\fR TRACE\n"})
    EXPECT_EQ(count(page, option), 1) << option << page;
}

TEST_F(Manual, TheSynopsisHasTheOptionsThatMustBeGiven) {
  EXPECT_EQ(line("man1/nadi-text.1", "nadi text"),
            "\\fBnadi text\\fR \\fB\\-\\-input\\fR W.txt \\fB\\-\\-output\\fR PREFIX "
            "\\fB\\-\\-npus\\fR N [OPTIONS]");
}

TEST_F(Manual, CompletionKnowsTheKindsAndValuesThereAre) {
  const std::string kinds = line("bash/nadi", "one_comp_node");
  EXPECT_NE(kinds.find("operands='"), std::string::npos) << kinds;
  EXPECT_NE(kinds.find(" BARRIER "), std::string::npos) << kinds;
  EXPECT_NE(file("bash/nadi").find("--occurrence) values='first last median-duration' ;;"),
            std::string::npos);
  EXPECT_NE(file("bash/nadi").find("--profile) values='astra-sim' ;;"), std::string::npos);
  EXPECT_EQ(line("bash/nadi", "--steps) values="), "") << "A-B stands for numbers";
  EXPECT_NE(file("fish/nadi.fish").find("-a 'first last median-duration'"), std::string::npos);
  EXPECT_NE(file("zsh/_nadi").find(":value:(first last median-duration)"), std::string::npos);
}

TEST_F(Manual, CompletionOffersWhatEveryVerbTakes) {
  for (const char* option : {"-v", "--verbose", "-q", "--quiet"})
    EXPECT_NE(line("bash/nadi", "--annotation --").find(std::string(" ") + option),
              std::string::npos)
        << option;
  EXPECT_NE(file("zsh/_nadi").find("'--quiet[Say nothing but errors]'"), std::string::npos);
  EXPECT_NE(file("fish/nadi.fish").find("-l quiet"), std::string::npos);
}

TEST_F(Manual, TheNamesOfMlCommonsToolsHaveAPageAndCompletionEach) {
  const std::string page = file("man1/chakra_converter.1");
  EXPECT_NE(page.find("\\fBchakra_converter\\fR PyTorch \\-\\-input LINKED.json"),
            std::string::npos)
      << page;
  EXPECT_NE(page.find(".BR nadi\\-convert (1)"), std::string::npos) << page;
  EXPECT_NE(page.find(".BR nadi\\-text (1)"), std::string::npos) << page;
  EXPECT_EQ(line("bash/chakra_converter", "complete"),
            "complete -o default -W 'PyTorch Text --input --output --simulate --log-filename "
            "--num-npus --num-passes --help --version' chakra_converter");
  const std::string zsh = line("zsh/_chakra_converter", "_arguments");
  EXPECT_NE(zsh.find(" '--simulate' "), std::string::npos) << zsh;
  EXPECT_NE(zsh.find(" '--num-npus:value: ' "), std::string::npos) << zsh;
  EXPECT_EQ(line("fish/chakra_converter.fish", "simulate"),
            "complete -c chakra_converter -l simulate");
  EXPECT_NE(line("zsh/_chakra_jsonizer", "_arguments").find("'--input_filename:value:_files'"),
            std::string::npos);
  EXPECT_NE(file("fish/chakra_generator.fish").find("-c chakra_generator -l num_npus -x"),
            std::string::npos);
}

TEST_F(Manual, ColonsInTextsAreNoColonsOfZsh) {
  const std::string match = line("zsh/_nadi", "'--match[");
  EXPECT_NE(match.find("times\\: by record-function id"), std::string::npos) << match;
}

}  // namespace
}  // namespace nadi
