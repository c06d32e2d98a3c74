// What names say of ranks, and what is said of the files of a rank.
#include <gtest/gtest.h>

#include "nadi/base/error.h"
#include "nadi/converters/archive/pair_ranks.h"
#include "nadi/converters/archive/rank_error.h"
#include "nadi/converters/archive/stale_outputs.h"
#include "nadi/converters/rank_of_name.h"
#include "tests/temporary_folder.h"

namespace nadi {
namespace {

TEST(StaleOutputs, AreGraphsOfThePrefixThatWereNotWrittenNow) {
  TemporaryFolder folder;
  for (const char* name : {"job.0.et", "job.1.et", "job.3.et", "job.12.et", "job.03.et", "job.x.et",
                           "job2.4.et", "job.comm_groups.json"})
    folder.write(name, "");
  EXPECT_EQ(find_stale_outputs(folder / "job", {folder / "job.0.et", folder / "job.1.et"}),
            (std::vector<std::string>{folder / "job.3.et", folder / "job.12.et"}));
}

TEST(RankError, NamesTheRankAndItsFileOnce) {
  const RankTraces rank{1, {"host.1.json", "device.1.json"}};
  const auto text = [&](const std::string& where) {
    return std::string(
        error_of_rank(Error(ErrorCode::kInput, where, "is bad", "Mend it"), rank).what());
  };
  EXPECT_EQ(text("device.1.json, event 3"), "rank 1 (device.1.json, event 3): is bad. Mend it");
  EXPECT_EQ(text("host.1.json"), "rank 1 (host.1.json): is bad. Mend it");
  EXPECT_EQ(text("/tmp/.job.parts/recorded.1.et"), "rank 1 (device.1.json): is bad. Mend it");
}

TEST(RankError, SaysWhichTracesAreCutWhereRanksDisagree) {
  std::vector<ConvertReport> ranks(2);
  ranks[1].rank = 1;
  ranks[1].device = "device.1.json";
  const Error error(ErrorCode::kInput, "a, b", "the ranks do not communicate alike", "Look");
  EXPECT_STREQ(error_with_cut_traces(error, ranks).what(), error.what());
  ranks[1].diagnostics.push_back({Finding::kTruncatedInput, 1, {}});
  EXPECT_STREQ(error_with_cut_traces(error, ranks).what(),
               "a, b: the ranks do not communicate alike. The trace of rank 1 (device.1.json) is "
               "cut (truncated-input): record it again, to its end. Look");
}

TEST(RankInName, IsTheNumberBehindAWordThatNamesRanks) {
  for (const auto& [name, rank] : std::initializer_list<std::pair<const char*, int>>{
           {"rank3_step10.json", 3},
           {"trace-rank-12-2024.json.gz", 12},
           {"trace.rank3.json", 3},
           {"traceRank3.json", 3},
           {"worker5.pt.trace.json", 5},
           {"worker5_rank6.json", 6},
           {"node_rank1_local_rank0_rank9.json", 9},
           {"local_rank2.json", 2},
           {"1757-TP-4.trace.json.gz", 4},
           {"tp1_dp0.json", 1},
           {"dp3.json", 3},
           {"tp0_dp2.json", -1},  // the number of tp is not known
           {"http0.json", -1},
           {"frank3.json", -1},
           {"device.7.json.gz", -1},
           {"model__1016001.json.gz", -1},
           {"rank99999999999999999999.json", -1},
           {"trace.json", -1}})
    EXPECT_EQ(rank_in_name(name), rank) << name;
}

using Ranks = std::vector<std::int64_t>;

TEST(RanksInNames, AreTheOnlyNumberThatDiffers) {
  EXPECT_EQ(ranks_in_names({"v2_8_step5.json", "v2_9_step5.json"}), (Ranks{8, 9}));
  EXPECT_EQ(ranks_in_names({"device.8.json", "device.9.json", "other.9.json", "other2.json"}),
            (Ranks{8, 9, 9, -1}));
  EXPECT_EQ(ranks_in_names({"a_100.1764000000000.json", "a_101.1764000000001.json"}),
            (Ranks{-1, -1}));
  EXPECT_EQ(ranks_in_names({"a.1764000000000.json", "a.1764000000001.json"}), (Ranks{-1, -1}));
  EXPECT_EQ(ranks_in_names({"device.7.json"}), Ranks{-1});
}

TEST(RanksInNames, OfParallelGroupsAreThatOfTensorsOrAllInTheirOrder) {
  EXPECT_EQ(ranks_in_names({"TP-0-DP-0", "TP-1-DP-0", "TP-2-DP-1", "TP-3-DP-1"}),
            (Ranks{0, 1, 2, 3}));
  EXPECT_EQ(ranks_in_names({"dp0_tp0", "dp0_tp1", "dp1_tp0", "dp1_tp1"}), (Ranks{0, 1, 2, 3}));
  EXPECT_EQ(ranks_in_names({"dp0_pp1_tp0", "dp0_pp1_tp1", "dp1_pp0_tp0"}), (Ranks{2, 3, 4}));
}

}  // namespace
}  // namespace nadi
