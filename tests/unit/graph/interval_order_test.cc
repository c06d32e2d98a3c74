#include "nadi/graph/interval_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace nadi {
namespace {

struct Interval {
  Ns start, end;
};

/// What the definition says: those that had ended and that no other such one began after.
std::vector<NodeIndex> by_definition(const std::vector<Interval>& all, std::size_t of) {
  const auto is_before = [&](std::size_t a, std::size_t b) {
    return a < b && all[a].end <= all[b].start;
  };
  std::vector<NodeIndex> result;
  for (std::size_t a = 0; a < of; ++a) {
    bool is_implied = false;
    for (std::size_t b = a + 1; b < of; ++b)
      is_implied = is_implied || (is_before(a, b) && is_before(b, of));
    if (is_before(a, of) && !is_implied) result.emplace_back(a);
  }
  return result;
}

std::vector<Interval> random_intervals(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Interval> all(40);
  for (Interval& i : all) {
    i.start = static_cast<Ns>(random() % 60);
    i.end = i.start + static_cast<Ns>(random() % 12);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Interval& a, const Interval& b) { return a.start < b.start; });
  return all;
}

TEST(IntervalOrder, IsWhatItsDefinitionSays) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    const std::vector<Interval> all = random_intervals(seed);
    IntervalOrder order;
    for (std::uint32_t i = 0; i < all.size(); ++i) {
      std::vector<NodeIndex> waited_for;
      for (const IntervalOrder::Entry& e : order.waited_for(all[i].start))
        waited_for.push_back(e.node);
      std::sort(waited_for.begin(), waited_for.end());
      ASSERT_EQ(waited_for, by_definition(all, i)) << "seed " << seed << ", interval " << i;
      order.add(NodeIndex(i), all[i].start, all[i].end);
    }
  }
}

TEST(IntervalOrder, LastAreThoseAfterWhichNothingStarted) {
  IntervalOrder order;
  EXPECT_TRUE(order.last().empty());
  const std::vector<Interval> all = {{0, 50}, {1, 5}, {6, 7}, {8, 12}, {9, 9}};
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    order.waited_for(all[i].start);
    order.add(NodeIndex(i), all[i].start, all[i].end);
  }
  EXPECT_EQ(order.last(), (std::vector{NodeIndex(0), NodeIndex(3), NodeIndex(4)}));
}

}  // namespace
}  // namespace nadi
