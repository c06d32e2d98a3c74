// Manifests of shards are found, belong together, and are not joined while one is written.
#include "nadi/converters/archive/shards.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "nadi/base/error.h"
#include "tests/temporary_folder.h"

namespace nadi {
namespace {

std::string shard_text(const std::string& text, std::int64_t base = 0) {
  try {
    const Shard shard = parse_shard(text, base);
    return std::to_string(shard.index) + " of " + std::to_string(shard.count);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    return error.problem();
  }
}

TEST(ParseShard, TakesAnIndexOrThatOfSlurmOrKubernetes) {
  ::unsetenv("SLURM_ARRAY_TASK_ID");
  ::unsetenv("JOB_COMPLETION_INDEX");
  EXPECT_EQ(shard_text("3/16"), "3 of 16");
  EXPECT_EQ(shard_text("auto/4"), "finds no index in SLURM_ARRAY_TASK_ID or JOB_COMPLETION_INDEX");
  ::setenv("JOB_COMPLETION_INDEX", "2", 1);
  EXPECT_EQ(shard_text("auto/4"), "2 of 4");
  ::setenv("SLURM_ARRAY_TASK_ID", "4", 1);
  EXPECT_EQ(shard_text("auto/4"), "has no index from 0 to 3");
  EXPECT_EQ(shard_text("auto/4", 1), "3 of 4");
  EXPECT_EQ(shard_text("auto-1/4"), "3 of 4");
  ::unsetenv("SLURM_ARRAY_TASK_ID");
  ::unsetenv("JOB_COMPLETION_INDEX");
  for (const char* text : {"4/4", "-1/4", "x/4"})
    EXPECT_EQ(shard_text(text), "has no index from 0 to 3") << text;
  for (const char* text : {"", "3", "3/", "3/0", "3/x"})
    EXPECT_EQ(shard_text(text), "names no number of shards") << text;
}

class Shards : public testing::Test {
 protected:
  std::string add(std::int64_t index, std::int64_t count) const {
    const std::string path = shard_manifest_path(prefix_, {index, count});
    RankRecord record;
    record.rank = index;
    Manifest(path).append(record);
    return path;
  }

  const TemporaryFolder folder_;
  const std::string prefix_ = folder_ / "x";
};

TEST_F(Shards, AreOpenedByIndex) {
  for (const std::int64_t index : {10, 2, 0}) add(index, 16);
  std::string ranks;
  for (const auto& manifest : open_shards(prefix_, true))
    manifest->visit([&](const RankRecord& record) { ranks += std::to_string(record.rank) + " "; });
  EXPECT_EQ(ranks, "0 2 10 ");
}

TEST_F(Shards, AreNotJoinedWhileOneIsWritten) {
  const std::string path = add(1, 4);
  {
    Manifest running(path);
    ASSERT_TRUE(running.try_lock());
    EXPECT_THROW(open_shards(prefix_, true), Error);
    EXPECT_EQ(open_shards(prefix_, false).size(), 1U);
  }
  const auto joined = open_shards(prefix_, true);
  EXPECT_FALSE(Manifest(path).try_lock()) << "and none begins while they are joined";
}

TEST_F(Shards, OfTwoNumbersAreRefused) {
  add(0, 4);
  EXPECT_NO_THROW(require_same_shards(prefix_, {3, 4}));
  EXPECT_THROW(require_same_shards(prefix_, {3, 8}), Error);
  add(0, 8);
  EXPECT_THROW(open_shards(prefix_, false), Error);
}

TEST_F(Shards, TellThatThereIsAManifestAsThatOfAWholeJobDoes) {
  add(0, 4);
  for (const char* name : {"x.job.manifest.jsonl", "x.job2.shard-1-of-2.manifest.jsonl", "x.0.et",
                           "other.manifest.jsonl", "x.shard-a-of-b.manifest.jsonl"})
    folder_.write(name, "");
  EXPECT_EQ(find_manifests(prefix_),
            (std::set<std::string>{prefix_, prefix_ + ".job", prefix_ + ".job2",
                                   prefix_ + ".shard-a-of-b"}));
}

}  // namespace
}  // namespace nadi
