// nadi convert --traces --target: one job of all ranks, from wherever their traces lie.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/archive_runs.h"

namespace nadi {
namespace {

constexpr int kJobRanks = 2;  // as many as the sample's groups have

class ArchiveJob : public ArchiveTest {
 protected:
  void SetUp() override {
    write_folder(path("traces"), traces_of_ranks(kJobRanks));
    write_archive(path("t.tar.zst"), sorted_by_kind(traces_of_ranks(kJobRanks), "host"));
  }
  /// Expects the run to write this target's job, and returns its files' bytes by name.
  std::map<std::string, std::string> job_of(const std::string& arguments) {
    const Outcome outcome = convert(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << arguments << "\n" << outcome.err;
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(path("out")))
      if (entry.is_regular_file())
        files[entry.path().filename().string()] = read_file(entry.path());
    return files;
  }
  std::map<std::string, std::string> new_job_of(const std::string& arguments) {
    std::filesystem::remove_all(path("out"));
    return job_of(arguments);
  }
};

TEST_F(ArchiveJob, IsTheSameFromAFolderAnArchiveAndShards) {
  for (const std::string target :
       {"--target astra-sim ", "--target goal ", "--target astra-sim --communication replay "}) {
    const auto expected = new_job_of(target + "--traces traces");
    if (!holds(target, "replay")) {  // which has ranks for what runs side by side, too
      EXPECT_EQ(expected.size(), target == "--target goal " ? 1U : 6U);
    }
    for (const std::string other :
         {"--traces t.tar.zst --memory 100M", "--traces - <t.tar.zst", "--traces traces --jobs 1"})
      EXPECT_EQ(new_job_of(target + other), expected) << other;
    std::filesystem::remove_all(path("out"));
    for (const std::string shard : {"1/2", "0/2"}) {
      const Outcome part = convert(target + "--traces t.tar.zst --shard " + shard);
      EXPECT_EQ(part.exit_code, 0) << part.err;
      EXPECT_TRUE(holds(part.out, "--finish in place of --shard makes the job")) << part.out;
      EXPECT_EQ(listing_of("out"), "x.recorded");
    }
    EXPECT_EQ(job_of(target + "--traces t.tar.zst --finish"), expected);
  }
}

TEST_F(ArchiveJob, OfOtherSettingsIsMadeOfTheRanksThatAreThere) {
  new_job_of("--target astra-sim --traces t.tar.zst");
  std::filesystem::remove(path("out/x.1.et"));
  const Outcome again = convert("--target astra-sim --dataset-splits 4 --traces t.tar.zst");
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_TRUE(holds(again.out, "0 ranks converted, 2 done before")) << again.out;
  EXPECT_TRUE(holds(read_file(path("out/x.system.json")), "\"preferred-dataset-splits\": 4"));
  EXPECT_TRUE(std::filesystem::exists(path("out/x.1.et")));
  const Outcome replayed = convert("--target astra-sim --communication replay --traces t.tar.zst");
  EXPECT_TRUE(holds(replayed.out, "0 ranks converted, 2 done before")) << replayed.out;
  EXPECT_TRUE(std::filesystem::exists(path("out/x.2.et")));
  // With other delays the graphs are others.
  const Outcome other = convert("--target goal --traces t.tar.zst");
  EXPECT_TRUE(holds(other.out, "2 ranks converted (")) << other.out;
}

TEST_F(ArchiveJob, OfSeveralFoldersIsOneOfEach) {
  for (const std::string job : {"a", "b"})
    write_folder(path("jobs") / job, traces_of_ranks(kJobRanks));
  const auto files = new_job_of("--target goal --recursive --traces jobs --report r.json");
  EXPECT_EQ(files.size(), 2U);
  EXPECT_EQ(files.at("x.a.goal"), files.at("x.b.goal"));
  const auto report = nlohmann::json::parse(read_file(path("r.json")));
  ASSERT_EQ(report["jobs"].size(), 2U);
  EXPECT_EQ(report["jobs"][1]["files"][0], "out/x.b.goal");
  const Outcome page = convert("--target goal --recursive --traces jobs --html p.html");
  EXPECT_EQ(page.exit_code, 2);
  EXPECT_TRUE(holds(page.err, "--html: shows one job")) << page.err;
}

TEST_F(ArchiveJob, ThatCannotBeWrittenStopsNoOther) {
  for (const std::string job : {"a", "b", "c"})
    write_folder(path("jobs") / job, traces_of_ranks(kJobRanks));
  write_folder(path("jobs/a"), {{"device.1.json", "{\"traceEvents\": ["}});
  std::string text = device_trace(1);
  for (std::size_t at = 0; (at = text.find("\"allreduce\"", at)) != std::string::npos;)
    text.replace(at, 11, "\"allgather\"");
  write_folder(path("jobs/b"), {{"device.1.json", text}});
  const Outcome outcome = convert("--target goal --recursive --traces jobs --report r.json");
  EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
  EXPECT_TRUE(holds(outcome.err, "x.a: no job is written: 1 rank could not be converted"))
      << outcome.err;
  EXPECT_TRUE(holds(outcome.err, "the ranks do not communicate alike")) << outcome.err;
  EXPECT_TRUE(std::filesystem::exists(path("out/x.c.goal")));
  EXPECT_FALSE(std::filesystem::exists(path("out/x.b.goal")));
  const auto report = nlohmann::json::parse(read_file(path("r.json")));
  EXPECT_TRUE(report["jobs"][1].contains("error"));
  EXPECT_EQ(report["jobs"][2]["files"][0], "out/x.c.goal");
}

TEST_F(ArchiveJob, OfNoRankThatCanBeConvertedHasAReport) {
  write_folder(path("hosts"), {{"host.0.json", host_trace(0)}});
  for (const std::string target : {"", "--target goal "}) {
    const Outcome outcome = convert(target + "--traces hosts --report r.json");
    EXPECT_EQ(outcome.exit_code, 3) << outcome.err;
    const auto report = nlohmann::json::parse(read_file(path("r.json")));
    EXPECT_TRUE(report["jobs"][0]["communication"].is_null());
    EXPECT_EQ(report["failed"].size(), 1U);
  }
}

TEST_F(ArchiveJob, ReportsTellWhenItsRanksMetAndWhoCameLast) {
  for (const std::string target : {"", "--target goal "}) {
    new_job_of(target + "--traces traces --report r.json");
    const auto report = nlohmann::json::parse(read_file(path("r.json")));
    const auto& times = report["jobs"][0]["communication"];
    ASSERT_TRUE(times.contains("collectives")) << times;
    EXPECT_EQ(times["clocks"]["ranks"].size(), 2U);
    ASSERT_FALSE(times["collectives"].empty());
    std::map<int, int> last;
    for (const auto& collective : times["collectives"]) {
      const auto& group = times["groups"][collective["group"].get<std::size_t>()];
      ASSERT_EQ(collective["start_ns"].size(), group["ranks"].size());
      const auto& starts = collective["start_ns"];
      if (starts[0] != starts[1]) ++last[group["ranks"][starts[1] > starts[0] ? 1 : 0].get<int>()];
    }
    for (const auto& straggler : times["stragglers"])
      EXPECT_EQ(straggler["collectives"], last[straggler["rank"].get<int>()]);
  }
}

TEST_F(ArchiveJob, OfRanksThatCommunicateUnlikeIsAnErrorInTheReportOfTheirGraphs) {
  std::string text = device_trace(1);
  for (std::size_t at = 0; (at = text.find("\"allreduce\"", at)) != std::string::npos;)
    text.replace(at, 11, "\"allgather\"");
  write_folder(path("traces"), {{"device.1.json", text}});
  const Outcome outcome = convert("--traces traces --report r.json");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto report = nlohmann::json::parse(read_file(path("r.json")));
  EXPECT_TRUE(report["jobs"][0]["communication"].contains("error"))
      << report["jobs"][0]["communication"];
}

}  // namespace
}  // namespace nadi
