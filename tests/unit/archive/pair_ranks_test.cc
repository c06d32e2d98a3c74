// Files of a folder find their rank and their partner.
#include "nadi/converters/archive/pair_ranks.h"

#include <gtest/gtest.h>

#include "nadi/base/error.h"
#include "nadi/converters/archive/rank_error.h"
#include "nadi/converters/archive/stale_outputs.h"
#include "nadi/converters/rank_of_name.h"
#include "tests/perfetto_bytes.h"
#include "tests/unit/astra_sim/et_file.h"

namespace nadi {
namespace {

std::string device_text(int rank, int pid) {
  const std::string info =
      rank < 0
          ? ""
          : "\"distributedInfo\": {\"backend\": \"nccl\", \"rank\": " + std::to_string(rank) + "},";
  return "{\"schemaVersion\": 1, " + info +
         " \"traceEvents\": [{\"ph\": \"X\", \"cat\": \"cpu_op\", "
         "\"name\": \"aten::mm\", \"pid\": " +
         std::to_string(pid) + ", \"tid\": 1, \"ts\": 1, \"dur\": 1}]}";
}
std::string host_text(int pid) {
  return "{\"schema\": \"1.0.1\", \"pid\": " + std::to_string(pid) + ", \"nodes\": []}";
}

std::string text_of(const TemporaryFolder& folder, const std::string& pattern = "") {
  Diagnostics diagnostics;
  std::string text;
  for (const RankTraces& rank : pair_ranks(folder / "", pattern, diagnostics)) {
    const auto name = [](const std::string& path) {
      return std::filesystem::path(path).filename().string();
    };
    text += std::to_string(rank.rank) + ":" + name(rank.traces.host) + "+" +
            name(rank.traces.device) + " ";
  }
  return text + std::to_string(diagnostics.count(Finding::kFileIgnored));
}

std::string error_of(const TemporaryFolder& folder, const std::string& pattern = "") {
  try {
    return "no error: " + text_of(folder, pattern);
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(PairRanks, RankAndProcessInTheContentGoBeforeNumbersInNames) {
  TemporaryFolder folder;
  folder.write("x7.json", device_text(0, 100));
  folder.write("x8.json", device_text(1, 200));
  folder.write("h7.json", host_text(200));
  folder.write("h8.json", host_text(100));
  folder.write("notes.txt", "no trace");
  folder.write("out.0.et", EtFile().bytes());
  EXPECT_EQ(text_of(folder), "0:h8.json+x7.json 1:h7.json+x8.json 2");
}

TEST(PairRanks, TheTwoFormsOfADeviceTraceAreOfOneRank) {
  TemporaryFolder folder;
  folder.write("host.0.json", host_text(100));
  folder.write("rank0_trace.json", device_text(0, 100));
  const std::string perfetto = test::perfetto_bytes(R"(
      packet { clock_snapshot { clocks { clock_id: 6 timestamp: 1 } } }
      packet { track_descriptor { uuid: 1 process { pid: 1 process_name: "python" } } })");
  folder.write("rank0_trace.pftrace", perfetto);
  Diagnostics diagnostics;
  const auto ranks = pair_ranks(folder / "", "", diagnostics);
  ASSERT_EQ(ranks.size(), 1U);
  EXPECT_EQ(ranks[0].traces.device, folder / "rank0_trace.json");
  EXPECT_EQ(ranks[0].traces.other_form, folder / "rank0_trace.pftrace");
  folder.write("rank0_again.pftrace", perfetto);
  EXPECT_NE(error_of(folder).find("holds two device traces of rank 0"), std::string::npos);
}

TEST(PairRanks, NumbersInNamesDecideWhereTheContentTellsNothing) {
  TemporaryFolder folder;
  for (const char* rank : {"0", "1"}) {
    folder.write(std::string("device.") + rank + ".json", device_text(-1, 1));
    folder.write(std::string("host.") + rank + ".json", host_text(1));  // one container each
  }
  EXPECT_EQ(text_of(folder), "0:host.0.json+device.0.json 1:host.1.json+device.1.json 0");
}

TEST(PairRanks, APatternChoosesFilesAndSaysWhereTheRankIs) {
  TemporaryFolder folder;
  folder.write("run2_rank0_step5.json", device_text(3, 1));
  folder.write("run2_rank1_step5.json", device_text(3, 1));
  folder.write("run3_rank1_step5.json", device_text(3, 1));
  EXPECT_EQ(text_of(folder, "run2_rank{rank}_*.json"),
            "0:+run2_rank0_step5.json 1:+run2_rank1_step5.json 1");
  EXPECT_THROW(text_of(folder, "run2*"), Error);
}

TEST(PairRanks, WhatIsAmbiguousOrMissingIsListed) {
  TemporaryFolder none;
  none.write("host.0.json", host_text(1));
  EXPECT_NE(
      error_of(none).find("holds no device trace. Traces found:\n  host.0.json: a host trace"),
      std::string::npos)
      << error_of(none);

  TemporaryFolder twice;
  twice.write("a.json", device_text(2, 1));
  twice.write("b.json", device_text(2, 2));
  EXPECT_NE(error_of(twice).find("holds two device traces of rank 2: " + twice / "a.json" +
                                 " and " + twice / "b.json"),
            std::string::npos)
      << error_of(twice);

  TemporaryFolder missing;
  missing.write("device.0.json", device_text(0, 1));
  missing.write("device.1.json", device_text(1, 2));
  missing.write("host.0.json", host_text(1));
  EXPECT_NE(error_of(missing).find("holds no host trace of rank 1"), std::string::npos)
      << error_of(missing);

  TemporaryFolder unknown;
  unknown.write("a.json", device_text(-1, 1));
  unknown.write("b.json", device_text(-1, 2));
  EXPECT_NE(error_of(unknown).find("nothing tells the rank of " + unknown / "a.json"),
            std::string::npos)
      << error_of(unknown);
}

TEST(PairRanks, SaysWhatIsThereWhereNoTraceIs) {
  TemporaryFolder deeper;
  std::filesystem::create_directory(deeper / "run1");
  EXPECT_EQ(error_of(deeper), (deeper / "") +
                                  ": holds no device trace, but 1 folder (run1), not looked into. "
                                  "Traces found: nothing. Pass the folder that holds the traces "
                                  "itself, such as `traces` " +
                                  (deeper / "run1"));

  TemporaryFolder named;
  named.write("worker0.json", device_text(0, 1));
  named.write("worker1.json", device_text(1, 2));
  EXPECT_EQ(error_of(named, "trace.{rank}.json"),
            (named / "") +
                ": holds no device trace, but 2 files that `pattern` leaves out (worker0.json). "
                "Traces found: nothing. Change `pattern`, or leave it out");
}

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
