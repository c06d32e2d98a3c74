#include "nadi/base/range_text.h"

#include <gtest/gtest.h>

#include <vector>

namespace nadi {
namespace {

std::string text_of(const std::vector<std::int64_t>& numbers) { return range_text(numbers); }

TEST(RangeText, JoinsNeighbours) {
  EXPECT_EQ(text_of({}), "");
  EXPECT_EQ(text_of({3}), "3");
  EXPECT_EQ(text_of({0, 1, 2, 5, 7, 8}), "0-2, 5, 7-8");
}

TEST(RangeText, OfVeryManyRangesTellsHowManyNumbersAreLeft) {
  std::vector<std::int64_t> even;
  for (int i = 0; i < 40; ++i) even.push_back(2 * i);
  EXPECT_EQ(text_of(even), "0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30 and 24 more");
}

}  // namespace
}  // namespace nadi
