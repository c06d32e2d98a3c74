// What is said of a job that was written for a simulator.
#include <gtest/gtest.h>

#include "nadi/converters/cli/job_options.h"

namespace nadi::cli {
namespace {

/// Four transfers, to which this was fitted.
std::string summary_with_links(std::vector<astra_sim::FittedLink> links, double factor = 1.25,
                               Ns network_makespan_ns = 20'000'000) {
  ConvertRanksReport report;
  report.prefix = "o";
  report.members = {{0, -1}, {1, -1}};
  report.recorded_span_ns = 20'000'000;
  report.check.nodes = 7;
  report.check.makespan_ns = 19'000'000;
  report.check.most_ready = 3;
  report.check.network_makespan_ns = network_makespan_ns;
  astra_sim::NetworkFit fit;
  fit.factor = factor;
  fit.transfers = 4;
  fit.transfer_ns = 1'000'000;
  fit.links = std::move(links);
  fit.given_latency_ns = 936;
  fit.unstretched_ns = 19'600'000;
  fit.makespan_ns = 20'000'000;
  fit.no_communication_ns = 15'000'000;
  report.check.fit = fit;
  return format_job_summary(report, false);
}

/// The last step of the fit made them so many times as long.
std::string summary_with_factor(double factor, Ns network_makespan_ns = 20'000'000) {
  return summary_with_links({{{900, 50}, 4, {800, 45}, {1000, 56}}}, factor, network_makespan_ns);
}

TEST(JobSummary, TellsInSentencesWhatTheJobTakesAndHowTheNetworkWasFitted) {
  EXPECT_EQ(
      summary_with_factor(1.25),
      "\nThe job has 2 ranks, and 7 nodes in all. All run under the simulator's issue rules, at "
      "most "
      "3 ready at a time.\n"
      "  The recorded time is 20.000 ms. The run takes 19.000 ms (95.0 %) with the shortest "
      "measured "
      "communication, and 20.000 ms on the network of o.network.yml.\n"
      "\nThe network is fitted to 4 transfers, which took 1.000 ms in all: its links have 50 GB/s "
      "and 900 ns.\n"
      "  The times fit links from 45 GB/s and 800 ns to 56 GB/s and 1000 ns (more latency with "
      "more bandwidth).\n"
      "  With links that keep this sum the job takes 19.600 ms (-2.0 % against the recorded time), "
      "with communication 1.25 times as long 20.000 ms (+0.0 %).\n"
      "  Without communication it takes 15.000 ms: it waits for communication for 25.0 % of its "
      "time.\n"
      "  The fit repeats what was measured and predicts nothing; --network FILE takes the network "
      "that another run was fitted to.\n");
}

TEST(JobSummary, SaysFirstThatTheFilesTakeAnotherTimeThanWasRecordedAndWhichDoNot) {
  const std::string far = summary_with_factor(1, 21'000'000);
  EXPECT_TRUE(
      far.starts_with("\nThe files take 21.000 ms, +5.0 % against the recorded time; those "
                      "of --communication replay take that, but on any network.\n"))
      << far;
  EXPECT_TRUE(summary_with_factor(1, 20'300'000).starts_with("\nThe job has"));
}

TEST(JobSummary, SaysOfWhichLinksOnlyLatencyAndBandwidthTogetherAreKnown) {
  const std::string summary = summary_with_links(
      {{{900, 50}, 3, {800, 45}, {1000, 56}}, {{936, 2}, 1, {0, 1.5}, {5000, 1e6}, false}});
  EXPECT_NE(
      summary.find("  The times in nodes fit links from 45 GB/s and 800 ns to 56 GB/s and 1000 "
                   "ns (more latency with more bandwidth).\n"
                   "  The times between nodes fit links from 1.5 GB/s and 0 ns to endless "
                   "bandwidth and 5000 ns (more latency with more bandwidth); they do not show "
                   "where in between, so the latency nearest to 936 ns with 1 GB/s or more was "
                   "chosen.\n"),
      std::string::npos)
      << summary;
}

TEST(JobSummary, NamesReplayWhereTheTimeOnTheNetworkThatIsNotFittedIsUnknown) {
  ConvertRanksReport report;
  report.recorded_span_ns = 2;
  report.check.nodes = 7;
  report.check.fit.emplace().unfitted = "it was not measured";
  report.check.network.emplace().network.dimensions = {{}};
  const auto said = [&] { return format_job_summary(report, false); };
  EXPECT_NE(said().find("\nThe network is not fitted: it was not measured. The files have links of "
                        "400 GB/s and 936 ns (--network chooses others; --communication replay "
                        "keeps the measured times).\n"),
            std::string::npos)
      << said();
  report.check.network_makespan_ns = 1;
  EXPECT_NE(said().find(" and 936 ns (--network chooses others).\n"), std::string::npos) << said();
}

TEST(JobSummary, WarnsOfAFactorFarFromOne) {
  for (const double factor : {1.9, 0.4, 12.0})
    EXPECT_NE(summary_with_factor(factor).find("Warning: "), std::string::npos) << factor;
  EXPECT_NE(summary_with_factor(1.9).find("Warning: 1.9 is far from 1; training jobs whose "
                                          "dependencies are known have 1.0 to 1.5."),
            std::string::npos);
  for (const double factor : {1.0, 0.93, 1.15, 1.48})
    EXPECT_EQ(summary_with_factor(factor).find("Warning: "), std::string::npos) << factor;
}

std::string members_said(const std::vector<JobMember>& members) {
  ConvertRanksReport report;
  report.members = members;
  return format_job_summary(report, false);
}

TEST(JobSummary, TellsRanksInARowTogether) {
  EXPECT_EQ(members_said({{0, -1}, {1, -1}}), "");
  EXPECT_EQ(members_said({{0, -1}, {1, 0}}),
            "\nIn the job, rank 1 runs a copy of recorded rank 0.\n");
  EXPECT_EQ(members_said({{0, -1}, {1, 0}, {2, 0}, {3, 0}}),
            "\nIn the job, ranks 1-3 run copies of recorded rank 0.\n");
  EXPECT_EQ(members_said({{0, -1}, {1, -1}, {2, 0}, {3, 1}, {-1, -1}, {-1, -1}}),
            "\nIn the job, ranks 2-3 run copies of recorded ranks 0-1, ranks 4-5 idle.\n");
  EXPECT_EQ(
      members_said({{-1, -1}, {4, -1}, {5, -1}, {9, -1}}),
      "\nIn the job, rank 0 idles, ranks 1-2 were recorded as ranks 4-5, rank 3 was recorded as "
      "rank 9.\n");
}

}  // namespace
}  // namespace nadi::cli
