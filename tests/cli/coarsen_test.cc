// nadi convert --coarsen: fewer nodes for a simulator.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "nadi/chakra/load_chakra_graph.h"
#include "tests/cli/archive_runs.h"

namespace nadi {
namespace {

class CoarseGraphs : public ArchiveTest {
 protected:
  void SetUp() override { write_folder(path("traces"), traces_of_ranks(2)); }

  Outcome converted(const std::string& arguments) const {
    return convert("--traces traces --target astra-sim " + arguments);
  }
  nlohmann::json job_of(const std::string& report) const {
    return nlohmann::json::parse(read_file(path(report)))["jobs"][0];
  }
};

TEST_F(CoarseGraphs, HaveFewerNodesAndSayOfHowMany) {
  const Outcome fine = converted("--coarsen none --report fine.json");
  ASSERT_EQ(fine.exit_code, 0) << fine.err;
  EXPECT_TRUE(holds(fine.out, "The job has 2 ranks, and 206 nodes in all. ")) << fine.out;
  const Outcome coarse = converted("--report coarse.json");
  ASSERT_EQ(coarse.exit_code, 0) << coarse.err;
  EXPECT_TRUE(holds(coarse.out, " nodes in all, made of 206. ")) << coarse.out;
  const auto before = job_of("fine.json");
  const auto after = job_of("coarse.json");
  EXPECT_EQ(after["fine_nodes"], before["issue_rules"]["nodes"]);
  EXPECT_LT(after["issue_rules"]["nodes"], 80);
  EXPECT_EQ(after["issue_rules"]["makespan_ns"], before["issue_rules"]["makespan_ns"]);
  EXPECT_FALSE(before.contains("fine_nodes"));
  const std::string shown = run("show out/x.0.et").out;
  EXPECT_TRUE(holds(shown, "\"merged\"")) << shown;
  EXPECT_TRUE(holds(shown, " + 2\"")) << shown;
}

TEST_F(CoarseGraphs, SayWhichNodeWentWhere) {
  ASSERT_EQ(converted("--coarsen 5us --coarsen-map map.csv").exit_code, 0);
  const std::string map = read_file(path("map.csv"));
  EXPECT_TRUE(map.starts_with("rank,id,recorded_id,coarse_id\n0,1,")) << map;
  EXPECT_EQ(std::count(map.begin(), map.end(), '\n'), 207);
}

TEST_F(CoarseGraphs, OfALargerJobAreThoseOfEachCopy) {
  ASSERT_EQ(converted("--coarsen exact --world 8 --report r.json").exit_code, 0);
  const auto report = job_of("r.json");
  EXPECT_EQ(report["fine_nodes"], 4 * 206);
  EXPECT_LT(report["issue_rules"]["nodes"], 4 * 80);
}

TEST_F(CoarseGraphs, OfALargerJobGoWhereThoseOfItsRecordedRanksGo) {
  ASSERT_EQ(converted("--coarsen-map map.csv").exit_code, 0);
  const std::string recorded = read_file(path("map.csv"));
  ASSERT_EQ(converted("--world 6 --coarsen-map map.csv").exit_code, 0);
  EXPECT_EQ(read_file(path("map.csv")), recorded);
  const auto nodes_of = [&](int rank) {
    const Graph graph = load_chakra_graph(path("out/x." + std::to_string(rank) + ".et"));
    std::vector<std::pair<std::uint64_t, std::string>> nodes;
    for (std::size_t node = 0; node < graph.size(); ++node)
      nodes.emplace_back(graph.id[node], graph.name_of(node));
    return nodes;
  };
  for (const int rank : {0, 1}) {
    EXPECT_FALSE(nodes_of(rank).empty());
    for (const int copy : {1, 2}) EXPECT_EQ(nodes_of(rank + 2 * copy), nodes_of(rank));
  }
}

TEST_F(CoarseGraphs, OfOptionsWithoutSenseAreRefused) {
  EXPECT_TRUE(holds(converted("--coarsen much").err,
                    "--coarsen: 'much' is neither exact, none nor a time like 5us"));
  EXPECT_TRUE(holds(converted("--coarsen none --coarsen-map m.csv").err,
                    "--coarsen-map: needs --coarsen exact or a time"));
  const Outcome plain = convert("--traces traces --coarsen exact");
  EXPECT_EQ(plain.exit_code, 2);
  EXPECT_TRUE(holds(plain.err, "--coarsen: needs --target astra-sim")) << plain.err;
}

}  // namespace
}  // namespace nadi
