#include "nadi/link/infix_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>

namespace nadi {
namespace {

NameList numbers(const std::string& text) { return {text.begin(), text.end()}; }

/// "2-8:0 10-16:1": begin, end, differences; the best first.
std::string infixes(const std::string& pattern, const std::string& text, MatchBudget budget = {}) {
  std::string found;
  for (const auto& [range, differences] : find_infixes(numbers(pattern), numbers(text), budget))
    found += std::to_string(range.first.value) + "-" + std::to_string(range.second.value) + ":" +
             std::to_string(differences) + " ";
  return found;
}

/// Levenshtein's distance by its definition.
std::uint32_t distance(const NameList& a, const NameList& b) {
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
NameList some_names(std::size_t count, std::uint32_t kinds, std::uint64_t seed) {
  NameList result;
  for (std::size_t i = 0; i < count; ++i) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    result.emplace_back(static_cast<std::uint32_t>(seed >> 33) % kinds);
  }
  return result;
}

TEST(Infixes, AreTheRangesWithTheFewestDifferences) {
  EXPECT_EQ(infixes("abcdef", "xxabcdefyyabXdefzz"), "2-8:0 10-16:1 ");
  EXPECT_EQ(infixes("abcdef", "xxabcefyyabcXdef"), "2-7:1 9-16:1 9-14:3 ");
  EXPECT_EQ(infixes("abcdef", "uvwxyz"), "");
}

TEST(Infixes, OfRepetitionsBeginWhereTheHostSequenceDoes) {
  EXPECT_EQ(infixes("sababababt", "babtsababababtsababXbabtsabab"),
            "4-14:0 14-24:1 0-10:4 20-29:4 ");
}

TEST(Infixes, HoldAReplacedOpAtEitherEnd) {
  EXPECT_EQ(infixes("Xbcdef", "zzabcdefzz"), "2-8:1 ");
  EXPECT_EQ(infixes("abcdeX", "zzabcdefzz"), "2-8:1 ");
}

TEST(Infixes, OfLongSequencesHaveLevenshteinsDistance) {
  // 300 ops are 5 words of 64; three copies of which every 20th, 10th and 7th op is replaced.
  const NameList host = some_names(300, 6, 1);
  NameList profiler = some_names(100, 6, 2);
  for (std::size_t every : {20U, 10U, 7U}) {
    for (std::size_t i = 0; i < host.size(); ++i)
      profiler.push_back(i % every == 3 ? NameNumber(9) : host[i]);
    const NameList between = some_names(50, 6, every);
    profiler.insert(profiler.end(), between.begin(), between.end());
  }
  MatchBudget budget;
  const std::vector<Infix> found = find_infixes(host, profiler, budget);
  ASSERT_EQ(found.size(), 3U);
  const NamePosition begins[] = {NamePosition(100), NamePosition(450), NamePosition(800)};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto [begin, end] = found[i].range;
    EXPECT_EQ(begin, begins[i]);
    EXPECT_EQ(end, begins[i] + 300);
    EXPECT_EQ(found[i].differences,
              distance(host, {profiler.begin() + begin.value, profiler.begin() + end.value}));
  }
}

TEST(Infixes, OfAPatternTooLongForTheBudgetAreThoseOfItsFirstNames) {
  // Half of 16 words for each of the text does not suffice for the 16 words of the pattern.
  const NameList pattern = some_names(1000, 60, 1);
  NameList text = some_names(100, 60, 2);
  text.insert(text.end(), pattern.begin(), pattern.end());
  text.resize(2000, NameNumber(99));
  MatchBudget budget;
  budget.words = 16 * text.size();
  const std::vector<Infix> found = find_infixes(pattern, text, budget);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].range, PositionRange(100, 1350));
}

TEST(Infixes, AreNothingWhereTheBudgetDoesNotSuffice) {
  MatchBudget budget;
  budget.words = 9;
  EXPECT_EQ(infixes("abc", "xxxxabcxxx", budget), "");
}

TEST(WholeInfixes, MayOverlapOrNot) {
  const auto places = [](bool may_overlap, std::size_t most) {
    std::string text;
    for (const NamePosition at :
         find_whole(numbers("aba"), numbers("xabababax"), may_overlap, most))
      text += std::to_string(at.value) + " ";
    return text;
  };
  EXPECT_EQ(places(false, 9), "1 5 ");
  EXPECT_EQ(places(true, 9), "1 3 5 ");
  EXPECT_EQ(places(true, 2), "1 3 ");
}

}  // namespace
}  // namespace nadi
