#include "nadi/link/match_order.h"

#include <gtest/gtest.h>

#include "tests/unit/link/match_text.h"

namespace nadi {
namespace {

using namespace test;

std::string by_order(const std::string& events, const std::string& host_nodes,
                     IterationPick choice = {IterationPickKind::kFirst}) {
  return linked_text(link_by({.method = MatchMethod::kOrder, .iteration_pick = choice}, ops(events),
                             nodes(host_nodes)));
}

TEST(MatchByOrder, PassesOverIterationsThatAreNotWhole) {
  EXPECT_EQ(by_order("aababc", "abc"), "a3 b4 c5 ");
}

TEST(MatchByOrder, LinksTheOccurrenceThatIsWished) {
  EXPECT_EQ(by_order("abcabcabc", "abc", {IterationPickKind::kFirst}), "a0 b1 c2 ");
  EXPECT_EQ(by_order("abcabcabc", "abc", {IterationPickKind::kLast}), "a6 b7 c8 ");
}

TEST(MatchByOrder, AnOccurrenceThatDoesNotExistIsAUsageError) {
  const auto third_of = [](const std::string& events) {
    return refusal(
        {.method = MatchMethod::kOrder, .iteration_pick = {IterationPickKind::kNumber, 3}},
        ops(events), nodes("abc"));
  };
  EXPECT_NE(third_of("abcabc").find("occurs 2 times"), std::string::npos);
  EXPECT_NE(third_of("xabcx").find("occurs 1 time. Leave"), std::string::npos);
}

TEST(MatchByOrder, MedianDurationIsNeitherTheFastestNorTheSlowestIteration) {
  const Lines events = {op("a", 0, 5),   op("b", 10, 5),  op("a", 100, 5),
                        op("b", 190, 5), op("a", 200, 5), op("b", 230, 5)};
  const LinkedTrace linked = link_by(
      {.method = MatchMethod::kOrder, .iteration_pick = {IterationPickKind::kMedianDuration}},
      events, nodes("ab"));
  EXPECT_EQ(linked_text(linked), "a20 b23 ");
}

TEST(MatchByOrder, OfManyIterationsTheOneWithTheHostTracesSequenceNumbersIsTaken) {
  Lines events;
  for (int i = 0; i < 5; ++i)
    events.push_back(op("a", 10.0 * i, 5, 0, 100, fmt::format(R"("Sequence number": {})", 70 + i)));
  const LinkedTrace linked =
      link_by({.method = MatchMethod::kOrder}, events, {node(2, "a", 1, 0, 1, R"("seq_id": 73)")});
  EXPECT_EQ(linked_text(linked), "a3 ");
}

TEST(MatchByOrder, K30_StepsPairInOrderWhateverTheirNumbersAndKeepTheDeviceTraces) {
  Lines events, nodes;
  for (int step = 0; step < 3; ++step) {
    events.push_back(annotation(fmt::format("ProfilerStep#{}", 4 + step), 100 * step, 90));
    nodes.push_back(node(2 + 10 * step, fmt::format("ProfilerStep#{}", 6 + step), 1, 0));
    for (int i = 0; i < 3; ++i) {
      events.push_back(op("a", 100 * step + 10 * i + 5, 5));
      nodes.push_back(node(3 + 10 * step + i, "a", 2 + 10 * step, 0));
    }
  }
  for (const MatchMethod method : {MatchMethod::kAuto, MatchMethod::kOrder, MatchMethod::kTree})
    EXPECT_EQ(linked_text(link_by({.method = method}, events, nodes)),
              "ProfilerStep#40 a0 a1 a2 ProfilerStep#510 a10 a11 a12 "
              "ProfilerStep#620 a20 a21 a22 ");
}

TEST(MatchByOrder, RowsOfAMatchedOpStayWhereTheHostTraceLacksItsLastChild) {
  Lines events;
  for (int i = 0; i < 3; ++i) {
    const double at = 100.0 * i;
    for (const std::string& line :
         {op("a", at, 5), op("b", at + 10, 30), op("child", at + 12, 2), launch(at + 20, 1, i + 1),
          row("kernel " + std::to_string(i), at + 50, 5, i + 1)})
      events.push_back(line);
  }
  const LinkedTrace linked =
      link_by({.method = MatchMethod::kOrder, .iteration_pick = {IterationPickKind::kNumber, 2}},
              events, nodes("ab"));
  EXPECT_EQ(linked.ops.size(), 3U);  // the child, too: the device trace alone knows it
  ASSERT_EQ(linked.device.rows.size(), 1U);
  EXPECT_EQ(linked.strings[linked.device.rows.name[0]], "kernel 1");
}

TEST(MatchByOrder, NothingIsCutWhereTheTracesSpanTheSame) {
  Lines events = ops("ab", 1000);
  events.push_back(row("early", 5, 5, 77));
  const LinkedTrace linked = link_by({.method = MatchMethod::kOrder}, events, nodes("ab"));
  EXPECT_EQ(linked.device.rows.size(), 1U);
}

TEST(MatchByOrder, AnOpMoreOrLessIsGapFilled) {
  EXPECT_EQ(by_order("abcdXefghijkl", "abcdefghijkl"), "a0 b1 c2 d3 e5 f6 g7 h8 i9 j10 k11 l12 ");
  EXPECT_EQ(by_order("abcdefgijkl", "abcdefghijkl"), "a0 b1 c2 d3 e4 f5 g6 i7 h- j8 k9 l10 ");
  // A known name in excess, so that no whole thread iteration is left when unknown names are
  // dropped.
  EXPECT_EQ(by_order("abcdaefghijkl", "abcdefghijkl"), "a0 b1 c2 d3 e5 f6 g7 h8 i9 j10 k11 l12 ");
}

// Every name but the last occurs more than once, so that other places look alike.
TEST(MatchByOrder, AnyOneOpMissingOfAShortThreadCostsNoOther) {
  for (const std::string& iteration :
       std::vector<std::string>{"abcabcbae", "abacabade", "dabcdabe"})
    for (std::size_t missing = 0; missing < iteration.size(); ++missing) {
      std::string host = iteration, expected;
      host.erase(missing, 1);
      for (std::size_t i = 0; i < iteration.size(); ++i)
        if (i != missing) expected += fmt::format("{}{} ", iteration[i], iteration.size() + i);
      const std::string three = iteration + iteration + iteration;
      EXPECT_EQ(by_order(three, host, {IterationPickKind::kNumber, 2}), expected) << host;
    }
}

TEST(MatchByOrder, AnyOneOpThatTheProfilerLostCostsNoOther) {
  const std::string iteration = "dabcabcbacabe";
  for (std::size_t missing = 1; missing + 1 < iteration.size(); ++missing) {
    std::string lost = iteration, expected;
    lost.erase(missing, 1);
    for (std::size_t i = 0, at = 0; i < iteration.size(); ++i)
      expected += i == missing ? "" : fmt::format("{}{} ", iteration[i], lost.size() + at++);
    const std::string found =
        by_order(lost + lost + lost, iteration, {IterationPickKind::kNumber, 2});
    std::string matched;
    for (std::size_t at = 0; at < found.size(); at = found.find(' ', at) + 1)
      if (found[at + 1] != '-') matched += found.substr(at, found.find(' ', at) + 1 - at);
    EXPECT_EQ(matched, expected) << lost;
  }
}

TEST(MatchByOrder, GapFilledIterationsAreAllFound) {
  Diagnostics diagnostics;
  link_by({.method = MatchMethod::kOrder}, ops("abcdaefghijklabcdefghbijklabcdcefghijkl"),
          nodes("abcdefghijkl"), &diagnostics);
  EXPECT_EQ(diagnostics.count(Finding::kIterationsFound), 3U);
  EXPECT_GT(diagnostics.count(Finding::kGapFilledOps), 0U);
}

TEST(MatchByOrder, OccurrencesOfTwoThreadsAreThoseOfOneIteration) {
  // The second thread's first run belongs to an iteration whose first half was not recorded.
  const Lines events = ops("de", 0, 200) + ops("abc", 100, 100) + ops("de", 140, 200) +
                       ops("abc", 200, 100) + ops("de", 240, 200);
  const Lines host = nodes("abc", 1, 2) + nodes("de", 2, 5);
  const auto number = [&](std::uint64_t n) {
    return linked_text(
        link_by({.method = MatchMethod::kOrder, .iteration_pick = {IterationPickKind::kNumber, n}},
                events, host));
  };
  EXPECT_EQ(number(1), "d14 e15 a10 b11 c12 ");
  EXPECT_EQ(number(2), "d24 e25 a20 b21 c22 ");
}

TEST(MatchByOrder, OldStampsInWholeMicrosecondsAreOrderedByExternalId) {
  const Lines events = {op("inner", 5, 0, 0, 100, R"("External id": 3)"),
                        op("outer", 5, 0, 0, 100, R"("External id": 2)"),
                        op("first", 1, 2, 0, 100, R"("External id": 1)")};
  const NameSequences names = name_sequences(host_trace(nodes("a")), device_trace(events));
  EXPECT_EQ(names.profiler.at(0).row,
            (std::vector{ProfilerOpIndex(2), ProfilerOpIndex(1), ProfilerOpIndex(0)}));
}

TEST(MatchByOrder, AnAnnotationThatNobodyMadeIsAnError) {
  const MatchOptions match{.method = MatchMethod::kOrder, .annotation = "Loader"};
  EXPECT_NE(refusal(match, ops("ab"), nodes("ab")).find("no op of the device trace is named"),
            std::string::npos);
}

TEST(MatchByOrder, RepeatingTakesIterationsOfWhich98PercentFitBesideWholeOnes) {
  std::string whole;
  for (char name = '0'; whole.size() < 60; ++name)
    if (name != '"' && name != '\\') whole += name;
  const auto without = [&](std::size_t place, std::size_t count) {
    std::string less = whole;
    return less.erase(place, count);
  };
  const std::string more = whole.substr(0, 30) + whole[3] + whole.substr(30);
  const std::string events =
      whole + without(20, 1) + more + without(40, 2) + whole.substr(0, 30) + whole;
  for (const auto& [method, without_repeat] :
       {std::pair{MatchMethod::kOrder, 2U}, {MatchMethod::kTree, 3U}}) {
    Diagnostics diagnostics;
    const LinkedTrace linked =
        link_by({.method = method, .repeats_all = true}, ops(events), nodes(whole), &diagnostics);
    EXPECT_EQ(diagnostics.count(Finding::kIterationsFound), 4U);
    EXPECT_EQ(linked.host_op_count, 4U * 60);
    EXPECT_EQ(linked.matched_host_op_count, 4U * 60 - 1);
    Diagnostics of_one;
    link_by({.method = method}, ops(events), nodes(whole), &of_one);
    EXPECT_EQ(of_one.count(Finding::kIterationsFound), without_repeat);
  }
}

TEST(MatchByOrder, HostOpsOutsideTheAnnotatedSegmentAreCounted) {
  // Without the cuts "abab" would not tell where an iteration begins.
  Diagnostics diagnostics;
  const LinkedTrace linked = link_by({.method = MatchMethod::kOrder,
                                      .iteration_pick = {IterationPickKind::kFirst},
                                      .annotation = "L"},
                                     ops("babLababLababL"), nodes("abLababLab"), &diagnostics);
  EXPECT_EQ(linked_text(linked), "a4 b5 a6 b7 L8 ");
  EXPECT_EQ(diagnostics.count(Finding::kHostOpsOutsideTheSegment), 5U);
  EXPECT_EQ(finding(diagnostics, Finding::kHostOpsOutsideTheSegment), "a (host id 2)");
  Diagnostics without;
  link_by({.method = MatchMethod::kOrder}, ops("ab"), nodes("ab"), &without);
  EXPECT_EQ(finding(without, Finding::kHostOpsOutsideTheSegment), "-");
}

}  // namespace
}  // namespace nadi
