// The command line itself: help, version, usage errors.
#include <gtest/gtest.h>

#include <cstdlib>
#include <regex>

#include "tests/cli/tool.h"

namespace nadi {
namespace {

const char* const kVerbs[] = {"convert", "link",   "profile", "show",    "check",
                              "doctor",  "replay", "text",    "generate"};

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

TEST(Usage, VersionIsNadiANumberAndOfACheckoutTheCommit) {
  const Outcome outcome = run_tool("--version");
  EXPECT_EQ(outcome.exit_code, 0);
  const std::string git = "git --git-dir='" NADI_SOURCE_DIR "/.git' rev-parse HEAD >/dev/null 2>&1";
  const bool is_checkout = std::system(git.c_str()) == 0;
  const std::regex version(is_checkout ? "nadi 0\\.\\d+\\.\\d+ \\(commit [0-9a-f]{8,}\\)\n"
                                       : "nadi 0\\.\\d+\\.\\d+\n");
  EXPECT_TRUE(std::regex_match(outcome.out, version)) << outcome.out;
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

TEST(Usage, OptionsThatFewNeedAreShownWithHelpAllAndOldNamesNowhere) {
  const std::string help = run_tool("convert --help").out, all = run_tool("convert --help-all").out;
  for (const char* option : {"--output", "--recursive", "--help-all"})
    EXPECT_TRUE(holds(help, option) && holds(all, option)) << option;
  for (const char* option : {"--match", "--redo", "--shard", "--dims", "--world"})
    EXPECT_TRUE(!holds(help, option) && holds(all, option)) << option;
  for (const char* option : {"--restart", "--retry-failed", "--verify", "--shard-base"})
    EXPECT_FALSE(holds(all, option)) << option;
  EXPECT_TRUE(holds(all, "\nMany ranks:\n")) << all;
}

TEST(Usage, AnUnknownVerbOrOptionExitsWith2AndPointsToTheHelp) {
  for (const std::string arguments : {"transmogrify", "convert --no-such-option x", "show --wat"}) {
    const Outcome outcome = run_tool(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << arguments;
    EXPECT_NE(outcome.err.find("--help"), std::string::npos) << outcome.err;
  }
}

TEST(Usage, AMissingRequiredOptionIsNamed) {
  const Outcome outcome = run_tool("convert --output x");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.err,
            "nadi: no trace is given. Give traces or a folder of them: nadi "
            "convert TRACE. See: nadi convert --help\n");
}

TEST(Usage, AHostTraceAloneNeedsADeviceTrace) {
  const Outcome outcome = run_tool("convert --host h.json --output x");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.err,
            "nadi: --host: a host trace has no times. Add the device trace of the same rank: "
            "--device TRACE\n");
}

TEST(Usage, AHostTraceAloneIsNotEnoughForOtherVerbsEither) {
  for (const std::string arguments :
       {"link --host h.json --output x.json", "doctor --host h.json"}) {
    const Outcome outcome = run_tool(arguments);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_TRUE(
        outcome.err.starts_with("nadi: --host: a host trace has no times. Add the device "
                                "trace of the same rank: --device TRACE\n"))
        << outcome.err;
  }
  EXPECT_TRUE(run_tool("doctor").err.starts_with("nadi: no trace is given."));
}

TEST(Usage, TheNearestVerbOrOptionIsSuggested) {
  const auto says = [](const std::string& arguments, const std::string& meant) {
    const Outcome outcome = run_tool(arguments);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_NE(outcome.err.find(" Did you mean " + meant + "? "), std::string::npos) << outcome.err;
  };
  says("convrt", "convert");
  says("ocnvert", "convert");
  says("timelines", "timeline");
  says("convert --hots h.json", "--host");
  says("convert --devcie=d.json", "--device");
  says("verison", "version");
  says("hlep", "help");
  says("help convrt", "convert");
  says("convert --device d.json --output x --delays al", "all");
  says("convert --traces t --output x --target astrasim", "astra-sim");
  says("diff a b --by nme", "name");
  says("generate pipelin", "pipeline");
  for (const std::string far : {"transmogrify", "convert --zzz 1", "convert zzz"})
    EXPECT_EQ(run_tool(far).err.find("Did you mean"), std::string::npos) << far;
}

TEST(Usage, HelpAndVersionAreVerbsToo) {
  EXPECT_EQ(run_tool("help").out, run_tool("--help").out);
  EXPECT_EQ(run_tool("help convert").out, run_tool("convert --help").out);
  EXPECT_EQ(run_tool("version").out, run_tool("--version").out);
  EXPECT_EQ(run_tool("help convert").exit_code, 0);
  EXPECT_EQ(run_tool("-v version").out, run_tool("--version").out);
  const Outcome more = run_tool("version extra");
  EXPECT_EQ(more.exit_code, 2);
  EXPECT_EQ(more.err, "nadi: nadi version: does not take extra behind it. See: nadi --help\n");
}

TEST(Usage, HelpOfFindingsIsTheirPage) {
  const Outcome outcome = run_tool("help findings");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, read_file(NADI_SOURCE_DIR "/schema/findings.md"));
}

TEST(Usage, EveryVerbsHelpTellsHowToBeQuiet) {
  for (const std::string verb : {"convert", "diff", "graph"}) {
    const std::string help = run_tool("help " + verb).out;
    EXPECT_NE(help.find("-q,--quiet"), std::string::npos) << verb;
    EXPECT_NE(help.find("-v,--verbose"), std::string::npos) << verb;
  }
}

TEST(Usage, QuietAndVerboseExcludeEachOther) {
  EXPECT_EQ(run_tool("check -q -v x.et").exit_code, 2);
}

}  // namespace
}  // namespace nadi
