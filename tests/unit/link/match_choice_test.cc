#include "nadi/link/match_choice.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/unit/link/match_text.h"

namespace nadi {
namespace {

using namespace test;

TEST(MatchByAuto, TakesTheOrderWhereRecordFunctionIdsDoNotFit) {
  const LinkedTrace linked = link_by({.iteration_pick = {IterationPickKind::kLast}},
                                     ops("abcdefghabcdefgh"), nodes("abcdefgh"));
  EXPECT_EQ(linked.matched_host_op_count, 8U);
  EXPECT_EQ(linked.ops.start_ns[0], 80000);
}

TEST(MatchByAuto, TakesTheTreesWhereTheOrderLeavesOpsOutThatTheyMatch) {
  const Lines events = ops("atbcdefghijklmnopqrs"), host = nodes("abcdefghijklmnopqrst");
  EXPECT_EQ(link_by({.method = MatchMethod::kOrder}, events, host).matched_host_op_count, 19U);
  EXPECT_EQ(link_by({}, events, host).matched_host_op_count, 20U);
  // Where they match no more, the order stays.
  EXPECT_EQ(link_by({}, ops("abcdefghijkXlmnopqrs"), host).matched_host_op_count, 19U);
}

TEST(MatchByAuto, RefusesTracesThatHaveNothingButAFewNamesInCommon) {
  const auto of_four_names = [](unsigned seed) {
    std::mt19937 random(seed);
    std::string text;
    for (int i = 0; i < 300; ++i) text += "abcd"[random() % 4];
    return text;
  };
  for (const MatchMethod method : {MatchMethod::kAuto, MatchMethod::kTree}) {
    const std::string text =
        refusal({.method = method}, ops(of_four_names(1)), nodes(of_four_names(2)));
    EXPECT_NE(text.find("more by name alone"), std::string::npos) << text;
  }
}

TEST(MatchByAuto, OpsThatOnlyTheirNamesTellAreGapFilled) {
  Diagnostics diagnostics;
  link_by({}, ops("ttabcdefghijklmnopqrsxyzuvw"), nodes("abcdefghijklmnopqrsxyzuvwtt"),
          &diagnostics);
  EXPECT_GT(diagnostics.count(Finding::kGapFilledOps), 0U);
}

TEST(MatchByAuto, OptionsThatChooseIterationsAskForTheOrder) {
  // The record-function ids would fit the first iteration.
  const Lines events = {op("a", 0, 5, 1), op("b", 10, 5, 2), op("a", 20, 5, 3), op("b", 30, 5, 4)};
  const Lines host = {node(2, "a", 1, 1), node(3, "b", 1, 2)};
  EXPECT_EQ(linked_text(link_by({}, events, host)), "a0 b1 ");
  EXPECT_EQ(linked_text(link_by({.iteration_pick = {IterationPickKind::kLast}}, events, host)),
            "a2 b3 ");
  EXPECT_EQ(linked_text(link_by({.repeats_all = true}, events, host)), "a0 b1 a2 b3 ");
}

TEST(MatchByAuto, OptionsThatAMethodHasNoUseForAreUsageErrors) {
  EXPECT_NE(refusal({.method = MatchMethod::kRfId, .repeats_all = true}, ops("ab"), nodes("ab"))
                .find("record-function ids know one iteration"),
            std::string::npos);
  EXPECT_NE(refusal({.method = MatchMethod::kTree, .annotation = "a"}, ops("ab"), nodes("ab"))
                .find("call trees are not cut by annotations"),
            std::string::npos);
}

TEST(MatchByAuto, RepeatingAllLeavesNoOccurrenceToChoose) {
  const MatchOptions both{.iteration_pick = {IterationPickKind::kLast}, .repeats_all = true};
  EXPECT_NE(refusal(both, ops("abab"), nodes("ab")).find("`repeat=all` leaves none to choose"),
            std::string::npos);
}

TEST(MatchByForce, ThatMatchesNothingSaysSo) {
  Diagnostics diagnostics;
  link_by({.method = MatchMethod::kForce}, ops("ab"), nodes("ab"), &diagnostics);
  EXPECT_EQ(finding(diagnostics, Finding::kNothingMatched),
            "only 0 of 2 host ops (0.0 %) are in the device trace: the device trace holds no "
            "record-function ids (PyTorch before 2.3)");
}

TEST(MatchByRfId, ThatFailsAdvisesToMatchByNames) {
  const std::string text = refusal({.method = MatchMethod::kRfId}, ops("ab"), nodes("ab"));
  EXPECT_NE(text.find("Use `match=auto` or `match=order`"), std::string::npos) << text;
}

TEST(Match, OfAHostTraceWithoutOpsIsReportedOrRefused) {
  const Lines root = {node(1, "[pytorch|profiler|execution_trace|process]", 1, 0)};
  Diagnostics diagnostics;
  const LinkedTrace linked = link_by({}, ops("ab"), root, &diagnostics);
  EXPECT_EQ(linked.ops.size(), 2U);
  EXPECT_EQ(finding(diagnostics, Finding::kHostTraceWithoutOps),
            "the ops are the device trace's own");
  EXPECT_NE(refusal({.method = MatchMethod::kOrder}, ops("ab"), root).find("it holds no ops"),
            std::string::npos);
}

TEST(Match, TracesOfTwoProcessesAreLinkedWithAWarning) {
  const auto found = [](std::uint64_t pid) {
    HostTrace host = host_trace(nodes("abcdefgh"));
    host.pid = pid;  // the device trace's is 1
    Diagnostics diagnostics;
    link_traces(std::move(host), device_trace(ops("abcdefgh")), {}, diagnostics);
    return finding(diagnostics, Finding::kAnotherProcess);
  };
  EXPECT_EQ(found(1), "-");
  EXPECT_EQ(found(0), "-") << "not told";
  EXPECT_EQ(found(77),
            "the host trace is of process 77, the device trace of 1: two runs of a program?");
}

TEST(Match, OptionsWithoutAHostTraceAreReportedAsUnused) {
  const auto unused = [](const MatchOptions& match) {
    LinkOptions options;
    options.match = match;
    Diagnostics diagnostics;
    link_traces(std::nullopt, device_trace(ops("ab")), options, diagnostics);
    return diagnostics.count(Finding::kMatchOptionsUnused);
  };
  EXPECT_EQ(unused({}), 0U);
  EXPECT_EQ(unused({.method = MatchMethod::kOrder}), 1U);
  EXPECT_EQ(unused({.annotation = "a"}), 1U);
  EXPECT_EQ(unused({.repeats_all = true}), 1U);
}

TEST(MatchReport, TellsOfAThreadWhoseOccurrencesLieInAnotherIteration) {
  // On the host thread 2 begins after thread 1; in the device trace it only runs before.
  const std::string text =
      refusal({.method = MatchMethod::kOrder}, ops("xy", 0, 200) + ops("abcdefgh", 100, 100),
              nodes("abcdefgh", 1, 2) + nodes("xy", 2, 10));
  EXPECT_NE(text.find("by the order of names only 8 of 10 host ops fit"), std::string::npos)
      << text;
  EXPECT_NE(text.find("thread 2: its 2 ops found 1 time, but not in the time of the other threads' "
                      "iteration"),
            std::string::npos)
      << text;
}

TEST(MatchReport, TellsHowManyOpsOfAThreadThatFitsNowhereHaveNamesakes) {
  const std::string text =
      refusal({.method = MatchMethod::kOrder}, ops("abcdqrstuvw"), nodes("abcdefghijk"));
  EXPECT_NE(
      text.find(
          "no place found where half of its 11 ops stand together, 4 with an op of their name "
          "in the most alike thread of the device trace, the first name that no thread there has "
          "is op 5: c, d, [e], f, g"),
      std::string::npos)
      << text;
}

TEST(MatchReport, TellsWhereNoThreadIsLongEnoughToBeLookedAt) {
  const std::string text =
      refusal({.method = MatchMethod::kOrder}, ops("abcde"), nodes("abcdefghijk"));
  EXPECT_NE(text.find("no free thread of the device trace has half as many ops as its 11"),
            std::string::npos)
      << text;
}

TEST(MatchReport, TellsOfEveryThreadWhatFitsAndWhereItFirstDoesNot) {
  Diagnostics diagnostics;
  link_by({.method = MatchMethod::kOrder},
          ops("abcdefghijkXlmnopqrstuvwxyz", 0, 100) + ops("ABCDE", 5, 200),
          nodes("abcdefghijklmnopqrtuvwxyz", 2, 2) + nodes("ABCDE", 1, 40), &diagnostics);
  std::string first;
  for (const Diagnostic& row : diagnostics.table())
    if (row.kind == Finding::kMatchedThreads) first = row.first.at(0);
  EXPECT_EQ(
      first,
      "thread 2: 25 of 25 ops exact, 2 in the device trace only, first difference at op 12: "
      "host trace j, k, [l], m, n - device trace j, k, [X], l, m; thread 1: 5 of 5 ops exact");
}

TEST(MatchByAuto, FewNamesDecideNothing) {
  EXPECT_NE(refusal({}, ops("abcabc"), nodes("abc")).find("no record-function ids"),
            std::string::npos);
}

TEST(MatchByAuto, RefusesAnotherModelAndTellsWhatWasTried) {
  const std::string text = refusal({}, ops("qrstuvwxyz"), nodes("abcdefghij"));
  EXPECT_NE(text.find("no record-function ids"), std::string::npos) << text;
  EXPECT_NE(text.find("by the order of names only 0 of 10"), std::string::npos) << text;
  EXPECT_NE(text.find("by call trees only 0 of 10"), std::string::npos) << text;
}

}  // namespace
}  // namespace nadi
