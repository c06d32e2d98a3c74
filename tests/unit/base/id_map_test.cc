#include "nadi/base/id_map.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace nadi {
namespace {

TEST(IdMap, NumbersThatAreMultiplesOfItsSizeDoNotShareABucket) {
  IdMap<std::int64_t, int> map;
  map.reserve(10'000);
  const auto buckets = static_cast<std::int64_t>(map.bucket_count());
  for (std::int64_t i = 0; i < 10'000; ++i) map[i * buckets] = 1;
  ASSERT_EQ(map.bucket_count(), static_cast<std::size_t>(buckets));
  std::size_t most = 0;
  for (std::size_t bucket = 0; bucket < map.bucket_count(); ++bucket)
    most = std::max(most, map.bucket_size(bucket));
  EXPECT_LT(most, 20U);
}

}  // namespace
}  // namespace nadi
