// What the names of traces tell, and how the files of a job are named after them.
#include <gtest/gtest.h>

#include <set>

#include "nadi/base/utf8.h"
#include "nadi/converters/archive/convert_archive.h"
#include "nadi/converters/archive/pair_ranks.h"
#include "tests/temporary_folder.h"

namespace nadi {
namespace {

/// "JOB|FILE|NUMBER".
std::string told_by(const std::string& path, const std::string& pattern = "",
                    bool is_one_job = false) {
  const TraceName name = name_of_trace(path, pattern, is_one_job);
  return name.job + "|" + name.file + "|" + std::to_string(name.number);
}

TEST(NameOfTrace, FoldersAreTheJobUnlessTheyNameARankOrAKindOfTrace) {
  EXPECT_EQ(told_by("device.3.json"), "|device.3.json|3");
  EXPECT_EQ(told_by("job/device.3.json"), "job|device.3.json|3");
  EXPECT_EQ(told_by("runs/job1/device.3.json"), "runs/job1|device.3.json|3");
  EXPECT_EQ(told_by("rank3/device.json"), "|device.json|3");
  EXPECT_EQ(told_by("job/rank_3/device.json"), "job|device.json|3");
  EXPECT_EQ(told_by("rank-3/job/device.json"), "job|device.json|3");
  EXPECT_EQ(told_by("job/host/3.json"), "job|3.json|3");
  EXPECT_EQ(told_by("kineto_trace/3.json"), "|3.json|3");
  EXPECT_EQ(told_by("host/rank3/x.json"), "|x.json|3");
  EXPECT_EQ(told_by("hosting/3.json"), "hosting|3.json|3");
}

TEST(NameOfTrace, TheNumberOfAFolderGoesBeforeThatOfTheFile) {
  EXPECT_EQ(told_by("rank3/step_17.json"), "|step_17.json|3");
  EXPECT_EQ(told_by("rank3/rank4/step_17.json"), "|step_17.json|4");
  EXPECT_EQ(told_by("job5/device.json"), "job5|device.json|-1");
}

TEST(NameOfTrace, OnlyWholeNumbersNameTheRankOfAFolder) {
  for (const std::string folder : {"rank", "rank3a", "rankx", "ranks3", "rank--3", "rank 3"})
    EXPECT_EQ(told_by(folder + "/device.json"), folder + "|device.json|-1");
  EXPECT_EQ(told_by("rank99999999999999999999/x.json"), "rank99999999999999999999|x.json|-1");
}

TEST(NameOfTrace, AsOneJobNoFolderIsAJob) {
  EXPECT_EQ(told_by("a/b/device.3.json", "", true), "|device.3.json|3");
  EXPECT_EQ(told_by("a/rank4/device.json", "", true), "|device.json|4");
}

TEST(NameOfTrace, APatternTellsTheNumberOfTheFile) {
  EXPECT_EQ(told_by("job/rank4/run7.step2.json", "run{rank}.*"), "job|run7.step2.json|7");
  EXPECT_EQ(told_by("rank4/other7.json", "run{rank}.*"), "|other7.json|-1");
  EXPECT_EQ(told_by("run2_rank1_step5.json", "run2_rank{rank}_*.json"), "|run2_rank1_step5.json|1");
  EXPECT_TRUE(name_of_trace("run7.json", "run{rank}.*", false).by_pattern);
  EXPECT_FALSE(name_of_trace("run7.json", "", false).by_pattern);
}

TEST(PrefixOfJob, IsThePrefixAndTheFolders) {
  EXPECT_EQ(prefix_of_job("out/x", ""), "out/x");
  EXPECT_EQ(prefix_of_job("out/x", "job"), "out/x.job");
  EXPECT_EQ(prefix_of_job("out/x", "runs/job1"), "out/x.runs--job1");
  EXPECT_EQ(prefix_of_job("x", std::string(100, 'n')), "x." + std::string(100, 'n'));
}

TEST(PrefixOfJob, OfALongNameIsShortAndItsOwn) {
  const std::string name(300, 'n');
  const std::string prefix = prefix_of_job("x", name);
  EXPECT_EQ(prefix.size(), 102U);
  EXPECT_TRUE(prefix.starts_with("x.nnnn"));
  EXPECT_EQ(prefix_of_job("x", name), prefix);
  EXPECT_NE(prefix_of_job("x", name + "n"), prefix);
  EXPECT_NE(prefix_of_job("x", "a/" + name), prefix_of_job("x", "a-" + name));
}

TEST(PrefixOfJob, NoTwoJobsHaveOne) {
  std::vector<std::string> jobs = {
      "a/b",  "a-b",     "a--b",       "a_b",   "a b",          "a\tb",
      "-a/b", "a-/b",    "a/-b",       "a\xff", "a\xfe",        "a_",
      "ö",    "o\u0308", "job.\u202e", "job.",  "shard-1-of-4", "a.shard-1-of-4"};
  jobs.push_back(prefix_of_job("", "a b").substr(1));  // called as another is changed to
  std::set<std::string> prefixes = {"x.shard-1-of-4", "x.a.shard-1-of-4"};  // of shards
  for (const std::string& job : jobs)
    EXPECT_TRUE(prefixes.insert(prefix_of_job("x", job)).second) << job;
  for (const std::string& prefix : prefixes) EXPECT_TRUE(is_utf8(prefix)) << prefix;
}

TEST(IsOutputOf, GraphsAndManifestsBesideThePrefix) {
  for (const char* own : {"out/x.0.et", "out/x.job.12.et.gz", "out/x.manifest.jsonl",
                          "out/x.job.shard-1-of-4.manifest.jsonl"}) {
    const TemporaryFolder folder;
    std::filesystem::create_directories(folder.path() / "out");
    EXPECT_TRUE(is_output_of(folder / "out/x", folder / own)) << own;
    EXPECT_FALSE(is_output_of(folder / "out/y", folder / own)) << own;
    EXPECT_FALSE(is_output_of(folder / "x", folder / own)) << own;
  }
  EXPECT_FALSE(is_output_of("x", "x.0.json"));
  EXPECT_FALSE(is_output_of("x", "x.host.json.gz"));
}

TEST(BesidePrefix, LiesAGraphWhereverItWasNamedFrom) {
  EXPECT_EQ(beside_prefix("x", "out/x.0.et"), "x.0.et");
  EXPECT_EQ(beside_prefix("../out//x", "x.0.et"), "../out//x.0.et");
}

TEST(PrefixOfJob, CutsNoCharacter) {
  for (const std::string begin : {"", "a"}) {
    std::string name = begin;
    while (name.size() < 150) name += "ö";
    EXPECT_TRUE(is_utf8(prefix_of_job("x", name))) << prefix_of_job("x", name);
  }
}

}  // namespace
}  // namespace nadi
