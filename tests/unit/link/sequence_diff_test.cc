#include "nadi/link/sequence_diff.h"

#include <gtest/gtest.h>

#include <string>

#include "nadi/link/iteration_search.h"

namespace nadi {
namespace {

std::vector<std::uint32_t> names(const std::string& text) { return {text.begin(), text.end()}; }

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
    text[pair.host] = profiler[pair.profiler];
  return text;
}

/// 0, 1, …, count - 1, then as the caller changes it.
std::vector<std::uint32_t> counted(std::uint32_t count) {
  std::vector<std::uint32_t> result(count);
  for (std::uint32_t i = 0; i < count; ++i) result[i] = i;
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
  const std::vector<std::uint32_t> host = counted(100000);
  std::vector<std::uint32_t> profiler = host;
  profiler.erase(profiler.begin() + 50000);
  profiler.insert(profiler.begin() + 20000, 7);
  const auto pairs = align(host, profiler);
  ASSERT_EQ(pairs.size(), 99999U);
  for (const NamePair& pair : pairs) ASSERT_EQ(host[pair.host], profiler[pair.profiler]);
}

TEST(SequenceDiff, LayersThatAreAllAlikeAreGapFilledWhereEachHasAnOpMore) {
  // 64 layers of 50 ops, "abc…" 64 times: no run occurs once.
  std::vector<std::uint32_t> host, profiler;
  for (std::uint32_t i = 0; i < 3200; ++i) {
    host.push_back(i % 50);
    profiler.push_back(i % 50);
    if (i % 50 == 20) profiler.push_back(7);
  }
  EXPECT_EQ(align(host, profiler).size(), host.size());
}

TEST(SequenceDiff, AGapTooLargeStaysUnmatchedInsteadOfTakingForever) {
  // Few names, in different patterns: no run occurs once, and there are 10^10 pairs.
  std::vector<std::uint32_t> host(100000), profiler(100000);
  for (std::uint32_t i = 0; i < host.size(); ++i) {
    host[i] = i % 2;
    profiler[i] = i % 3 == 0 ? 1 : 2;
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
      text += std::to_string(pair.host) + std::to_string(pair.profiler) + " ";
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
  const std::vector<std::uint32_t> host = counted(30000);
  std::vector<std::uint32_t> profiler = host;
  for (std::size_t i = 5; i < profiler.size(); i += 10) profiler[i] = 50000;
  EXPECT_EQ(align(host, profiler).size(), 27000U);
}

TEST(Locate, FindsWholeOccurrencesThatDoNotOverlap) {
  const auto found = thread_iterations(names("aa"), names("aaaaa"));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[1].first_position(), 2U);
}

TEST(Locate, OtherWorkInBetweenIsNoOccurrence) {
  EXPECT_EQ(thread_iterations(names("ab"), names("axxxxxxxxxxb")).size(), 0U);
}

TEST(Locate, TakesLinearTimeOnSequencesOfOneName) {
  const std::vector<std::uint32_t> host(1000, 1), profiler(1000000, 1);
  EXPECT_EQ(thread_iterations(host, profiler).size(), 1000U);
}

}  // namespace
}  // namespace nadi
