// The command line itself: help, version, usage errors.
#include <gtest/gtest.h>

#include "tests/cli/tool.h"

namespace nadi {
namespace {

const char* const kVerbs[] = {"convert", "link",   "show", "check",
                              "doctor",  "replay", "text", "generate"};

TEST(Usage, HelpGoesToStdoutAndNamesEveryVerb) {
  const Outcome outcome = run_tool("--help");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  for (const char* verb : kVerbs) EXPECT_NE(outcome.out.find(verb), std::string::npos) << verb;
}

TEST(Usage, EveryVerbsHelpHoldsAnExampleOfItself) {
  for (const std::string verb : kVerbs) {
    const Outcome outcome = run_tool(verb + " --help");
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_NE(outcome.out.find("Example:\n  nadi " + verb + " "), std::string::npos) << outcome.out;
  }
}

TEST(Usage, VersionIsNadiAndANumber) {
  const Outcome outcome = run_tool("--version");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out.substr(0, 7), "nadi 0.");
}

TEST(Usage, ArgumentsThatAreNotExpectedAreNamedInOrder) {
  EXPECT_EQ(run_tool("generate pipeline --heads 8 9").err,
            "nadi: Not expected: --heads 8 9. See: nadi generate --help\n");
}

TEST(Usage, ALongRefusalHasALineForEachPartAndForTheRemedy) {
  const TemporaryFolder folder;
  const std::string data = std::string(NADI_TEST_DATA);
  const Outcome outcome =
      run_tool("convert --host " + data + "/ddp-2rank/host.0.json.gz --device " + data +
                   "/multi-step/device.0.json.gz --match tree --output x",
               folder.path());
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_NE(outcome.err.find(";\n  thread "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find(").\n  Pass two traces of the same steps"), std::string::npos)
      << outcome.err;
}

TEST(Usage, WithoutAVerbTheExitCodeIs2) {
  const Outcome outcome = run_tool("");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(outcome.err.starts_with("nadi: No verb is given. The verbs are convert, "))
      << outcome.err;
}

TEST(Usage, AnUnknownVerbIsNamedBesideThoseThatAre) {
  const Outcome outcome = run_tool("transmogrify");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(
      outcome.err.starts_with("nadi: No verb is named transmogrify. The verbs are convert, "))
      << outcome.err;
}

TEST(Usage, AnUnknownVerbOrOptionExitsWith2AndPointsToTheHelp) {
  for (const std::string arguments : {"transmogrify", "convert --no-such-option x", "show --wat"}) {
    const Outcome outcome = run_tool(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << arguments;
    EXPECT_NE(outcome.err.find("--help"), std::string::npos) << outcome.err;
  }
}

TEST(Usage, AMissingRequiredOptionIsNamed) {
  const Outcome outcome = run_tool("convert --host h.json --output x");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.err,
            "nadi: --device, --linked or --traces: is required. See: nadi convert --help\n");
}

TEST(Usage, QuietAndVerboseExcludeEachOther) {
  EXPECT_EQ(run_tool("check -q -v x.et").exit_code, 2);
}

}  // namespace
}  // namespace nadi
