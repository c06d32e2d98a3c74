#include "nadi/base/key_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace nadi {
namespace {

struct SomeTable;
using Keys = ByRow<SomeTable, std::int64_t>;
using SomeRow = Index<SomeTable>;

/// The same, found by looking at all keys.
class SlowIndex {
 public:
  SlowIndex(const Keys& keys, std::int64_t none) : keys_(keys), none_(none) {}

  std::vector<SomeRow> rows(std::int64_t key) const {
    std::vector<SomeRow> rows;
    for (const SomeRow row : rows_of(keys_))
      if (keys_[row] == key && key != none_) rows.push_back(row);
    return rows;
  }
  /// Of the largest key below and of the smallest key above.
  std::int64_t key_below(std::int64_t key) const {
    std::int64_t best = none_;
    for (const std::int64_t other : keys_)
      if (other != none_ && other < key && (best == none_ || other > best)) best = other;
    return best;
  }
  std::int64_t key_above(std::int64_t key) const {
    std::int64_t best = none_;
    for (const std::int64_t other : keys_)
      if (other != none_ && other > key && (best == none_ || other < best)) best = other;
    return best;
  }

 private:
  const Keys& keys_;
  std::int64_t none_;
};

void expect_same(const Keys& keys, const std::vector<std::int64_t>& asked) {
  constexpr std::int64_t kNone = -1;
  const KeyIndex<SomeTable, std::int64_t> index(keys, kNone);
  const SlowIndex slow(keys, kNone);
  const auto key_of = [&](SomeRow row) { return row ? keys[row] : kNone; };
  for (const std::int64_t key : asked) {
    std::vector<SomeRow> rows;
    for (const auto& entry : index.rows(key)) rows.push_back(entry.row);
    EXPECT_EQ(rows, slow.rows(key)) << key;
    EXPECT_EQ(key_of(index.row_below(key)), slow.key_below(key)) << key;
    EXPECT_EQ(key_of(index.row_above(key)), slow.key_above(key)) << key;
  }
}

TEST(KeyIndex, FindsRowsWhateverTheKeys) {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min(),
                         kMost = std::numeric_limits<std::int64_t>::max();
  expect_same({}, {kLeast, 0, kMost});
  expect_same({-1, -1}, {-1, 0});
  expect_same({7, 7, 7}, {6, 7, 8});
  expect_same({kLeast, kMost, kMost - 1, 0}, {kLeast, kLeast + 1, 0, 1, kMost - 1, kMost});
  std::mt19937_64 random(1);
  for (const std::int64_t most : {10, 300, 1'000'000}) {
    Keys keys(200);
    // The farther up, the farther apart.
    for (std::int64_t& key : keys) key = static_cast<std::int64_t>(random() % 1000) * most / 1000;
    for (std::int64_t& key : keys) key = key * key / most;
    std::vector<std::int64_t> asked(keys.begin(), keys.end());
    for (std::int64_t i = 0; i < 200; ++i) asked.push_back(most * (i - 20) / 160);
    expect_same(keys, asked);
  }
}

}  // namespace
}  // namespace nadi
