#include "nadi/link/sequence_diff.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "nadi/link/iteration_search.h"

namespace nadi {
namespace {

NameList names(const std::string& text) { return {text.begin(), text.end()}; }

std::vector<NamePair> align(Names host, Names profiler) {
  MatchBudget budget;
  return diff_names(host, profiler, budget);
}
std::vector<ThreadIteration> thread_iterations(Names host, Names profiler) {
  MatchBudget budget;
  return locate(host, profiler, budget);
}

/// The profiler's text with '-' where nothing is matched.
std::string aligned(const std::string& host, const std::string& profiler) {
  std::string text(host.size(), '-');
  for (const NamePair& pair : align(names(host), names(profiler)))
    text[pair.host.value] = profiler[pair.profiler.value];
  return text;
}

/// 0, 1, …, count - 1, then as the caller changes it.
NameList counted(std::size_t count) {
  NameList result(count);
  std::iota(result.begin(), result.end(), NameNumber(0));
  return result;
}

TEST(SequenceDiff, KeepsTheLongestCommonSubsequence) {
  EXPECT_EQ(aligned("abcde", "abcde"), "abcde");
  EXPECT_EQ(aligned("abcde", "axcye"), "a-c-e");
  EXPECT_EQ(aligned("abcde", ""), "-----");
  EXPECT_EQ(aligned("abcde", "vwxyz"), "-----");
  EXPECT_EQ(aligned("xaxbxc", "abc"), "-a-b-c");
}

TEST(SequenceDiff, ALongSequenceIsHeldTogetherByItsRuns) {
  const NameList host = counted(100000);
  NameList profiler = host;
  profiler.erase(profiler.begin() + 50000);
  profiler.insert(profiler.begin() + 20000, NameNumber(7));
  const auto pairs = align(host, profiler);
  ASSERT_EQ(pairs.size(), 99999U);
  for (const NamePair& pair : pairs) ASSERT_EQ(host[pair.host], profiler[pair.profiler]);
}

TEST(SequenceDiff, LayersThatAreAllAlikeAreGapFilledWhereEachHasAnOpMore) {
  // 64 layers of 50 ops, "abc…" 64 times: no run occurs once.
  NameList host, profiler;
  for (std::size_t i = 0; i < 3200; ++i) {
    host.emplace_back(i % 50);
    profiler.emplace_back(i % 50);
    if (i % 50 == 20) profiler.emplace_back(7);
  }
  EXPECT_EQ(align(host, profiler).size(), host.size());
}

TEST(SequenceDiff, AGapTooLargeStaysUnmatchedInsteadOfTakingForever) {
  // Few names, in different patterns: no run occurs once, and there are 10^10 pairs.
  NameList host(100000), profiler(100000);
  for (std::size_t i = 0; i < host.size(); ++i) {
    host[i] = NameNumber(i % 2);
    profiler[i] = NameNumber(i % 3 == 0 ? 1 : 2);
  }
  EXPECT_LT(align(host, profiler).size(), host.size());
}

TEST(SequenceDiff, TakesNoMoreStepsThanTheBudgetAllows) {
  MatchBudget none{0}, enough{30};
  EXPECT_EQ(diff_names(names("xaay"), names("zaaw"), none).size(), 0U);
  EXPECT_EQ(diff_names(names("xaay"), names("zaaw"), enough).size(), 2U);
  EXPECT_LT(enough.steps, 30U);
}

TEST(SequenceDiff, PutsARunBesideTheLongerOneWhereItFitsAsWell) {
  const auto places = [](const std::string& host, const std::string& profiler) {
    std::string text;
    for (const NamePair& pair : align(names(host), names(profiler)))
      text += std::to_string(pair.host.value) + std::to_string(pair.profiler.value) + " ";
    return text;
  };
  // "ab" of the profiler may be the first or the second of the host's.
  EXPECT_EQ(places("ababxyz", "abxyz"), "20 31 42 53 64 ");
  EXPECT_EQ(places("xyzabab", "xyzab"), "00 11 22 33 44 ");
  EXPECT_EQ(places("abxyz", "ababxyz"), "02 13 24 35 46 ");
  // Here it fits in one place only.
  EXPECT_EQ(places("abcdxyz", "abxyz"), "00 11 42 53 64 ");
}

TEST(SequenceDiff, KeepsThePlaceOfAReplacedOp) {
  EXPECT_EQ(aligned("aaXaa", "aaaaa"), "aa-aa");
  EXPECT_EQ(aligned("abXcd", "abcd"), "ab-cd");
}

TEST(SequenceDiff, WithMoreDifferencesThanItCountsIsSplitAtRunsThatOccurOnce) {
  // 30,000 ops in order, of which every tenth is replaced on both sides: 6,000 differences.
  const NameList host = counted(30000);
  NameList profiler = host;
  for (std::size_t i = 5; i < profiler.size(); i += 10) profiler[i] = NameNumber(50000);
  EXPECT_EQ(align(host, profiler).size(), 27000U);
}

TEST(Locate, FindsWholeOccurrencesThatDoNotOverlap) {
  const auto found = thread_iterations(names("aa"), names("aaaaa"));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[1].first_position(), NamePosition(2));
}

TEST(Locate, OtherWorkInBetweenIsNoOccurrence) {
  EXPECT_EQ(thread_iterations(names("ab"), names("axxxxxxxxxxb")).size(), 0U);
}

TEST(Locate, TakesLinearTimeOnSequencesOfOneName) {
  const NameList host(1000, NameNumber(1)), profiler(1000000, NameNumber(1));
  EXPECT_EQ(thread_iterations(host, profiler).size(), 1000U);
}

}  // namespace
}  // namespace nadi
