#include "nadi/link/match_fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "nadi/link/match_close.h"

namespace nadi {
namespace {

using Numbers = std::vector<std::uint32_t>;

Numbers numbers(const std::string& text) { return {text.begin(), text.end()}; }

/// "2-8:0 10-16:1": begin, end, differences; the best first.
std::string fits(const Numbers& host, const Numbers& profiler) {
  AlignBudget budget;
  std::string text;
  const auto found = find_fits(host, profiler, FitChoice::kApart, budget);
  for (const Fit& fit : found.value())
    text += std::to_string(fit.begin) + "-" + std::to_string(fit.end) + ":" +
            std::to_string(fit.differences) + " ";
  return text;
}
std::string fits(const std::string& host, const std::string& profiler) {
  return fits(numbers(host), numbers(profiler));
}

/// Levenshtein's distance by its definition.
std::uint32_t distance(const Numbers& a, const Numbers& b) {
  std::vector<std::uint32_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0U);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::uint32_t diagonal = row[0];
    row[0] = static_cast<std::uint32_t>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::uint32_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

/// count numbers of 0 to kinds - 1, always the same for a seed.
Numbers some_names(std::size_t count, std::uint32_t kinds, std::uint64_t seed) {
  Numbers result;
  for (std::size_t i = 0; i < count; ++i) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    result.push_back(static_cast<std::uint32_t>(seed >> 33) % kinds);
  }
  return result;
}

TEST(Fits, AreTheRangesWithTheFewestDifferences) {
  EXPECT_EQ(fits("abcdef", "xxabcdefyyabXdefzz"), "2-8:0 10-16:1 ");
  EXPECT_EQ(fits("abcdef", "xxabcefyyabcXdef"), "2-7:1 9-16:1 9-14:3 ");
  EXPECT_EQ(fits("abcdef", "uvwxyz"), "");
}

TEST(Fits, OfRepetitionsBeginWhereTheHostSequenceDoes) {
  EXPECT_EQ(fits("sababababt", "babtsababababtsababXbabtsabab"), "4-14:0 14-24:1 0-10:4 20-29:4 ");
}

TEST(Fits, HoldAReplacedOpAtEitherEnd) {
  EXPECT_EQ(fits("Xbcdef", "zzabcdefzz"), "2-8:1 ");
  EXPECT_EQ(fits("abcdeX", "zzabcdefzz"), "2-8:1 ");
}

TEST(Fits, OfLongSequencesHaveLevenshteinsDistance) {
  // 300 ops are 5 words of 64; three copies of which every 20th, 10th and 7th op is replaced.
  const Numbers host = some_names(300, 6, 1);
  Numbers profiler = some_names(100, 6, 2);
  for (std::size_t every : {20U, 10U, 7U}) {
    for (std::size_t i = 0; i < host.size(); ++i) profiler.push_back(i % every == 3 ? 9 : host[i]);
    const Numbers between = some_names(50, 6, every);
    profiler.insert(profiler.end(), between.begin(), between.end());
  }
  AlignBudget budget;
  const auto found = find_fits(host, profiler, FitChoice::kApart, budget);
  ASSERT_EQ(found.value().size(), 3U);
  const std::uint32_t begins[] = {100, 450, 800};
  for (std::size_t i = 0; i < 3; ++i) {
    const Fit& fit = (*found)[i];
    EXPECT_EQ(fit.begin, begins[i]);
    EXPECT_EQ(fit.end, begins[i] + 300);
    EXPECT_EQ(fit.differences,
              distance(host, {profiler.begin() + fit.begin, profiler.begin() + fit.end}));
  }
}

TEST(Fits, AreNothingWhereTheBudgetDoesNotSuffice) {
  AlignBudget budget;
  budget.words = 9;
  EXPECT_FALSE(
      find_fits(numbers("abc"), numbers("xxxxabcxxx"), FitChoice::kApart, budget).has_value());
}

/// "0-0 1-1 3-3".
std::string close_pairs(const std::string& host, const std::string& profiler, std::uint32_t most) {
  AlignBudget budget;
  const auto found = align_closely(numbers(host), numbers(profiler), most, budget);
  if (!found) return "none";
  std::string text;
  for (const NamePair& pair : *found)
    text += std::to_string(pair.host) + "-" + std::to_string(pair.profiler) + " ";
  return text;
}

TEST(CloseAlignment, KeepsThePlaceOfAReplacedOp) {
  EXPECT_EQ(close_pairs("aaXaa", "aaaaa", 5), "0-0 1-1 3-3 4-4 ");
  EXPECT_EQ(close_pairs("Xaaaa", "aaaaa", 5), "1-1 2-2 3-3 4-4 ");
  EXPECT_EQ(close_pairs("aaaaX", "aaaaa", 5), "0-0 1-1 2-2 3-3 ");
}

TEST(CloseAlignment, LooksOverOpsOfEitherSide) {
  EXPECT_EQ(close_pairs("abcd", "abXcd", 1), "0-0 1-1 2-3 3-4 ");
  EXPECT_EQ(close_pairs("abXcd", "abcd", 1), "0-0 1-1 3-2 4-3 ");
  EXPECT_EQ(close_pairs("", "ab", 2), "");
}

TEST(CloseAlignment, IsNoneWhereTooMuchDiffers) {
  EXPECT_EQ(close_pairs("abcdef", "aXcYef", 1), "none");
  EXPECT_EQ(close_pairs("abcdef", "aXcYef", 2), "0-0 2-2 4-4 5-5 ");
  EXPECT_EQ(close_pairs("a", "aaaa", 2), "none");
}

}  // namespace
}  // namespace nadi
