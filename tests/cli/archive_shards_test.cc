// nadi convert --traces in shards: each converts its ranks, and they are joined.
#include <gtest/gtest.h>

#include "tests/cli/archive_runs.h"

namespace nadi {
namespace {

class ArchiveShards : public ArchiveTest {
 protected:
  void SetUp() override { write_archive(path("t.tar"), traces_of_ranks(5)); }

  Outcome convert_shard(const std::string& shard, const std::string& options = "") const {
    return convert("--traces t.tar --shard " + shard + " " + options);
  }
  Outcome finish() const { return convert("--traces t.tar --finish"); }
};

const std::string kWhole = "x.0.et x.1.et x.2.et x.3.et x.4.et x.manifest.jsonl";

TEST_F(ArchiveShards, InAnyOrderGiveWhatOneRunGives) {
  for (const char* shard : {"2/3", "0/3", "1/3"})
    EXPECT_EQ(convert_shard(shard).exit_code, 0) << shard;
  EXPECT_TRUE(holds(listing_of("out"), "x.shard-0-of-3.manifest.jsonl"));
  const auto written = writings_in("out");
  const Outcome outcome = finish();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.out, "0 ranks converted, 5 done before")) << outcome.out;
  EXPECT_EQ(writings_in("out"), written);
  EXPECT_EQ(listing_of("out"), kWhole);
  expect_graphs("out", {0, 1, 2, 3, 4});
}

TEST_F(ArchiveShards, ThatAreMissingAreNamedAndMayFollow) {
  EXPECT_EQ(convert_shard("0/2").exit_code, 0);
  const Outcome early = finish();
  EXPECT_EQ(early.exit_code, 1);
  EXPECT_TRUE(holds(early.err, "rank 3 of out/x: is not converted")) << early.err;
  EXPECT_TRUE(holds(listing_of("out"), "x.shard-0-of-2.manifest.jsonl"));
  EXPECT_EQ(convert_shard("1/2").exit_code, 0);
  EXPECT_EQ(finish().exit_code, 0);
  EXPECT_EQ(listing_of("out"), kWhole);
}

TEST_F(ArchiveShards, AreTakenOverByAWholeRunAndTakeOverFromIt) {
  EXPECT_EQ(convert_shard("0/2").exit_code, 0);
  const Outcome whole = convert("--traces t.tar");
  EXPECT_TRUE(holds(whole.out, "2 ranks converted, 3 done before")) << whole.out;
  EXPECT_EQ(listing_of("out"), kWhole);
  const Outcome again = convert_shard("1/2");
  EXPECT_TRUE(holds(again.out, "0 ranks converted, 2 done before")) << again.out;
}

TEST_F(ArchiveShards, OfAnotherNumberAreRefusedAlsoWithRestart) {
  EXPECT_EQ(convert_shard("0/2").exit_code, 0);
  for (const char* options : {"", "--redo all"}) {
    const Outcome outcome = convert_shard("0/3", options);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_TRUE(holds(outcome.err, "is of 2 shards, not of 3")) << outcome.err;
  }
}

TEST_F(ArchiveShards, OfWhichRanksFailExitWithTheCodeAskedForAndWithNoOtherFailure) {
  auto traces = traces_of_ranks(3);
  traces[3].bytes = "{\"traceEvents\": [], \"distributedInfo\": {\"rank\": 1}}";  // of rank 1
  write_archive(path("bad.tar"), traces);
  const auto code_of = [&](const std::string& arguments) {
    return run("convert --traces " + arguments).exit_code;
  };
  EXPECT_EQ(code_of("bad.tar --output some/x --shard 0/1"), 1);
  EXPECT_EQ(code_of("bad.tar --output all/x --shard 1/3"), 3);
  const std::string asks = " --failed-exit-code 10";
  EXPECT_EQ(code_of("bad.tar --output some/x --shard 0/1" + asks), 10);
  EXPECT_EQ(code_of("bad.tar --output all/x --shard 1/3" + asks), 10);
  EXPECT_EQ(code_of("bad.tar --output all/x --shard 2/3" + asks), 0);
  EXPECT_EQ(code_of("bad.tar --output all/x --finish --target astra-sim" + asks), 10);
  EXPECT_EQ(code_of("no.tar --output all/x --shard 2/3" + asks), 3);
  EXPECT_EQ(code_of("bad.tar --output all/x --failed-exit-code 4"), 2);
}

TEST_F(ArchiveShards, AreForgottenByARestart) {
  EXPECT_EQ(convert_shard("0/2").exit_code, 0);
  const Outcome whole = convert("--traces t.tar --redo all");
  EXPECT_TRUE(holds(whole.out, "5 ranks converted (")) << whole.out;
  EXPECT_EQ(listing_of("out"), kWhole);
}

}  // namespace
}  // namespace nadi
