// nadi convert --world: a recorded job as a larger one.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/range/iterator_range.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "nadi/base/diagnostics.h"
#include "nadi/chakra/load_chakra_graph.h"
#include "nadi/sim_bridge/job/make_job.h"
#include "tests/cli/archive_runs.h"

namespace nadi {
namespace {

class LargerJob : public ArchiveTest {
 protected:
  void SetUp() override { write_folder(path("traces"), traces_of_ranks(2)); }

  Outcome grown(const std::string& arguments) const {
    return convert("--traces traces " + arguments);
  }
  Graph graph_of(int rank) const {
    return load_chakra_graph(path("out/x." + std::to_string(rank) + ".et"));
  }
};

TEST_F(LargerJob, SaysWhatGrewAndWhatItsGraphsTake) {
  const Outcome outcome = grown("--target astra-sim --world 8");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.out,
                    "The job of 2 ranks is grown to 8: each of them runs 4 times, rank r of copy c "
                    "as rank 2 c + r. "
                    "Groups that grow: default_pg. Groups that are copied: none.\n"))
      << outcome.out;
  EXPECT_TRUE(holds(outcome.out, " on disk, of which those of the recorded ranks take "))
      << outcome.out;
  EXPECT_FALSE(holds(outcome.out, "In the job, ")) << outcome.err;  // all are told above
  EXPECT_TRUE(std::filesystem::exists(path("out/x.7.et")));
  EXPECT_TRUE(holds(read_file(path("out/x.comm_groups.json")), "[0, 1, 2, 3, 4, 5, 6, 7]"));
}

TEST_F(LargerJob, RaisesAnAllReduceToWhatTheSimulatorEnds) {
  // From 16 members on it is halved and doubled, which aborts with less than two bytes per member
  // and split: 256 among 64 ranks in 2 splits.
  std::vector<Member> traces = traces_of_ranks(2);
  const std::string elements = "\"In msg nelems\":";
  for (Member& trace : traces)
    for (std::size_t at = 0; (at = trace.bytes.find(elements, at)) != std::string::npos;) {
      at += elements.size();
      trace.bytes.replace(at, trace.bytes.find_first_not_of("0123456789", at) - at, "1");
    }
  write_folder(path("traces"), traces);
  const Outcome outcome = grown("--target astra-sim --world 64");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.out, "size-raised")) << outcome.out;
  EXPECT_TRUE(holds(outcome.out, "4 bytes to 256")) << outcome.out;
  EXPECT_EQ(run("check --profile astra-sim out/x.*.et").exit_code, 0);
  EXPECT_EQ(graph_of(0).communications.front().bytes, 256);
  ASSERT_EQ(grown("--target astra-sim --world 64 --backend aware").exit_code, 0);
  EXPECT_EQ(graph_of(0).communications.front().bytes, 4);  // of a ring
}

TEST_F(LargerJob, OfSeveralSizesIsATableInSummaryReportAndPage) {
  const Outcome outcome = grown("--target astra-sim --world 2,64,4 --report r.json --html p.html");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.out, "  communication  efficiency\n")) << outcome.out;
  const auto job = nlohmann::json::parse(read_file(path("r.json")))["jobs"][0];
  ASSERT_EQ(job["scaling"].size(), 3U);
  EXPECT_EQ(job["scaling"][0]["efficiency"], 1.0);
  EXPECT_LT(job["scaling"][1]["efficiency"], 1.0);
  EXPECT_GT(job["scaling"][1]["network_makespan_ns"], job["scaling"][2]["network_makespan_ns"]);
  EXPECT_EQ(job["growth"]["ranks"], 4);
  const std::string page = read_file(path("p.html"));
  EXPECT_TRUE(holds(page, "\"scaling\":[[2,"));
  EXPECT_LT(page.find("id=\"scaling-chart\""), page.find("id=\"job-outputs\""));
  EXPECT_TRUE(std::filesystem::exists(path("out/x.3.et")));
  EXPECT_FALSE(std::filesystem::exists(path("out/x.4.et")));
}

TEST_F(LargerJob, OfPlainGraphsHasTheNodesOfTheRecordedOnesInItsOwnGroups) {
  ASSERT_EQ(grown("").exit_code, 0);
  const Graph recorded = graph_of(1);
  const Outcome outcome = grown("--world 6");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  std::vector<Graph> graphs;
  for (int rank = 0; rank < 6; ++rank) graphs.push_back(graph_of(rank));
  EXPECT_EQ(graphs[5].size(), recorded.size());
  EXPECT_EQ(graphs[5].rank, 5);
  EXPECT_EQ(graphs[5].duration_ns, recorded.duration_ns);
  EXPECT_TRUE(std::ranges::equal(boost::make_iterator_range(edges(graphs[5].structure)),
                                 boost::make_iterator_range(edges(recorded.structure))));
  EXPECT_EQ(run("check out/x.5.et").exit_code, 0);
  Diagnostics diagnostics;
  const Job job = make_job(std::move(graphs), MissingRanks::kRefuse, diagnostics);
  ASSERT_EQ(job.groups.size(), 1U);
  EXPECT_EQ(job.groups[0].ranks, (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5}));
}

TEST_F(LargerJob, WasMeasuredByNobody) {
  ASSERT_EQ(grown("--world 4").exit_code, 0);
  const Outcome outcome = run("replay out/x.*.et");
  EXPECT_TRUE(holds(outcome.out, "  what-if ")) << outcome.out;
  EXPECT_TRUE(holds(outcome.out, " (grown from 2 ranks)\n")) << outcome.out;
  EXPECT_FALSE(holds(outcome.out, "measured")) << outcome.out;
  const Outcome job = run("convert out/x.*.et --target astra-sim --output out/y");
  EXPECT_TRUE(holds(job.out, "The fit repeats the times of the what-if")) << job.out;
  ASSERT_EQ(grown("--world 2").exit_code, 0);
  EXPECT_TRUE(holds(run("replay out/x.0.et out/x.1.et").out, "measured"));
  for (const char* larger : {"--world 4 --target astra-sim", "--world 4"}) {
    ASSERT_EQ(grown(larger).exit_code, 0);
    EXPECT_FALSE(holds(run("replay out/x.*.et").out, "measured")) << larger;
  }
}

TEST_F(LargerJob, WithCopiesOfRanksThatAreMissingWasMeasuredByNobody) {
  write_folder(path("first"), traces_of_ranks(1));  // of two
  for (const char* form : {"--target astra-sim", "--world 2"}) {
    const Outcome made = convert("--traces first --missing copy " + std::string(form));
    ASSERT_EQ(made.exit_code, 0) << made.err;
    const Outcome replayed = run("replay out/x.0.et out/x.1.et");
    EXPECT_TRUE(holds(replayed.out, "(grown from 1 rank)")) << replayed.out << replayed.err;
  }
}

TEST_F(LargerJob, OfASizeThatDoesNotFitSaysWhichDoes) {
  const Outcome outcome = grown("--target astra-sim --world 5");
  EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
  EXPECT_TRUE(holds(outcome.err, "--world 5: is no multiple of the job's 2 ranks")) << outcome.err;
  EXPECT_TRUE(holds(outcome.err, "the next such size is 6")) << outcome.err;
}

TEST_F(LargerJob, OfSeveralSizesHasNoNetworkOfOneSize) {
  std::ofstream(path("n.yml")) << "topology: [ Switch, Switch ]\nnpus_count: [ 2, 4 ]\n"
                                  "bandwidth: [ 400, 50 ]\nlatency: [ 900, 900 ]\n";
  for (const std::string option : {"--dims 2,4", "--network n.yml"}) {
    const Outcome outcome = grown("--target astra-sim --world 4,8 " + option);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
    EXPECT_TRUE(holds(outcome.err,
                      ": is a network of 8 ranks, and --world asks for jobs of "
                      "several sizes. Ask for one size"))
        << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(path("out/x.0.et")));
  }
  EXPECT_EQ(grown("--target astra-sim --world 8 --dims 2,4").exit_code, 0);
}

TEST_F(LargerJob, OptionsOfItWithoutEffectAreUsageErrors) {
  for (const std::string arguments :
       {"--traces traces --grow dp", "--traces traces --shard-compute none",
        "--device traces/device.0.json --world 4", "--traces traces --world 4 --compress zstd",
        "--traces traces --target goal --world 4,8", "--traces traces --world 4,8"}) {
    const Outcome outcome = convert(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << arguments << "\n" << outcome.err;
    EXPECT_TRUE(holds(outcome.err, " needs --") || holds(outcome.err, " excludes --"))
        << outcome.err;
  }
  for (const std::string world : {"0", "x", "4,", "8,-2"})
    EXPECT_EQ(grown("--target astra-sim --world " + world).exit_code, 2) << world;
}

}  // namespace
}  // namespace nadi
