// nadi convert GRAPH... --target: Chakra graphs of any writer become a job.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "nadi/base/utf8.h"
#include "tests/cli/rank_traces.h"
#include "tests/cli/tool.h"
#include "tests/et_file.h"

namespace nadi {
namespace {

class GraphJobs : public ToolTest {
 protected:
  std::string path(const std::string& name) const { return folder_ / name; }
  /// What the report says that the job takes.
  std::int64_t makespan_of(const std::string& arguments) const {
    const Outcome outcome = run("convert --target astra-sim --report r.json " + arguments);
    EXPECT_EQ(outcome.exit_code, 0) << arguments << ": " << outcome.err;
    const auto report = nlohmann::json::parse(read_file(path("r.json")), nullptr, false);
    if (report.is_discarded()) return -1;
    return report["issue_rules"]["network_makespan_ns"].get<std::int64_t>();
  }
  /// Of three ranks: what each does is told by `fill`.
  void write_ranks(const std::function<void(int rank, EtFile& file)>& fill) const {
    for (int rank = 0; rank < 3; ++rank) {
      EtFile file(rank);
      fill(rank, file);
      folder_.write("g." + std::to_string(rank) + ".et", file.bytes());
    }
  }
};

TEST_F(GraphJobs, GrownAreThoseThatAreGeneratedAtThatSize) {
  for (const std::string npus : {"8", "32"})
    ASSERT_EQ(run("generate data-parallel --layers 2 --npus " + npus + " --output s" + npus + "/g")
                  .exit_code,
              0);
  const std::int64_t grown = makespan_of("s8/g.*.et --world 32 --network h100 --output grown/g");
  EXPECT_EQ(grown, makespan_of("s32/g.*.et --network h100 --output whole/g"));
  EXPECT_GT(grown, makespan_of("s8/g.*.et --network h100 --output recorded/g"));
  for (const std::string graphs : {"s8/g.*.et --world 32", "s32/g.*.et"})
    EXPECT_EQ(grown, makespan_of(graphs + " --output beside/g")) << "on the network beside them";
}

TEST_F(GraphJobs, HaveNoRanksOfIdleNpus) {
  ASSERT_EQ(run("generate tensor-parallel --layers 1 --npus 12 --tensor 4 --output s/g").exit_code,
            0);
  const Outcome outcome = run("convert s/g.*.et --target astra-sim --output out/x");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.out, "In the job, ranks 12-13 idle.")) << outcome.out;
  EXPECT_TRUE(holds(outcome.out, "an idle NPU")) << outcome.out;
}

TEST_F(GraphJobs, DropDependenciesOnNodesThatAreNotThereAndSaySo) {
  write_ranks([](int, EtFile& file) {
    file.host(1, 0, 5).add_ctrl_deps(77);
    file.host(2, 5, 5, {1}).add_ctrl_deps(77);
    file.collective(3, 0, 1 << 20, "", 10, 5, {2});
  });
  const Outcome outcome = run("convert g.*.et --target astra-sim");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.out, "dependency-dropped")) << outcome.out;
  EXPECT_TRUE(std::filesystem::exists(path("g.astra-sim.2.et"))) << folder_.listing();
  EXPECT_EQ(run("check --profile astra-sim g.astra-sim.*.et").exit_code, 0);
}

TEST_F(GraphJobs, TakeRanksFromNamesAndGroupsFromTheFileBeside) {
  write_ranks([](int rank, EtFile& file) {
    file.metadata.clear_attr();
    if (rank < 2)
      file.collective(1, 0, 1 << 20, "4", 0, 5);
    else
      file.device(1, 0, 5);
  });
  folder_.write("g.comm_groups.json", R"({"4": [0, 1]})");
  const Outcome outcome = run("convert g.*.et --target astra-sim --output out/x");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(holds(read_file(path("out/x.comm_groups.json")), "[0, 1]"))
      << read_file(path("out/x.comm_groups.json"));
}

TEST_F(GraphJobs, TakeTheOtherEndOfAMessageFromWhoNamesThisRank) {
  const auto write = [&](int sender_names) {
    write_ranks([&](int rank, EtFile& file) {
      if (rank == 0) file.message(1, NodeType::kSend, -1, sender_names, 7, 1024, 0);
      if (rank == 1) file.message(1, NodeType::kReceive, -1, -1, 7, 1024, 0);
      if (rank == 2) file.device(1, 0, 5);
    });
  };
  write(1);
  const Outcome told = run("convert g.*.et --target astra-sim --output out/x");
  ASSERT_EQ(told.exit_code, 0) << told.err;
  EXPECT_TRUE(holds(told.out, "message-end-inferred")) << told.out;
  write(-1);
  const Outcome untold = run("convert g.*.et --target astra-sim --output out/y");
  EXPECT_EQ(untold.exit_code, 3);
  EXPECT_TRUE(holds(untold.err, "does not tell the other end of its message")) << untold.err;
}

TEST_F(GraphJobs, ReplayRestoredCollectivesThatAreNotSimulated) {
  constexpr std::int64_t kAllGather = ChakraProtoMsg::ALL_GATHER, kNoType = 42;
  const std::pair<std::int64_t, std::string> kinds[] = {
      {ChakraProtoMsg::REDUCE, " --unsupported replay"}, {kNoType, ""}};
  for (const auto& [type, option] : kinds) {
    write_ranks([&, type = type](int rank, EtFile& file) {
      file.host(1, 0, 3);
      std::uint64_t last = 1;
      for (int i = 1; i <= 10; ++i) {
        if (rank < 2 && i == (rank == 0 ? 3 : 8)) continue;  // lost
        const auto id = static_cast<std::uint64_t>(i + 1);
        file.collective(id, i % 2 == 0 ? kAllGather : type, 1024 * i, "", 100 * i, 60, {last});
        last = id;
      }
    });
    const Outcome outcome =
        run("convert g.*.et --target astra-sim --coarsen none --output out/x" + option);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const Graph graph = load_chakra_graph(path("out/x.0.et"));
    std::vector<std::size_t> restored;
    for (std::size_t row = 0; row < graph.size(); ++row)
      if (graph.name_of(row) == "communication restored") restored.push_back(row);
    ASSERT_EQ(restored.size(), 1U);
    EXPECT_EQ(graph.type[restored.front()], NodeType::kCompute);
    EXPECT_EQ(graph.duration_ns[restored.front()], 60'000);
  }
}

TEST_F(GraphJobs, AreCheckedWithNamesInWholeCharacters) {
  const std::string shown(79, 'x'), name = shown + "\u00e9";
  write_ranks(
      [&](int, EtFile& file) { file.collective(1, 0, 1 << 20, name, 0, 5).set_name(name); });
  const Outcome outcome = run("check --profile astra-sim g.*.et");
  EXPECT_TRUE(is_utf8(outcome.out)) << outcome.out;
  EXPECT_TRUE(holds(outcome.out, "node 1 (" + shown + ")")) << outcome.out;
  EXPECT_TRUE(holds(outcome.out, "pg_name \"" + shown + "\"")) << outcome.out;
}

TEST_F(GraphJobs, TakeTheTimesOfScalesWhateverTheOrderOfTheirNodes) {
  write_ranks([](int, EtFile& file) {
    file.device(5, 10, 20);
    file.device(2, 0, 10);
  });
  const Outcome outcome = run("convert g.*.et --scale kernels=2 --output s");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Graph graph = load_chakra_graph(path("s.1.et"));
  EXPECT_EQ(graph.duration_ns[0], 20'000);
  EXPECT_EQ(graph.duration_ns[1], 40'000);
}

TEST_F(GraphJobs, PassOverTheJobThatAnEarlierRunMadeOfThem) {
  write_ranks([](int, EtFile& file) { file.device(2, 0, 10); });
  ASSERT_EQ(run("convert g.*.et --target astra-sim").exit_code, 0);
  const Outcome again = run("convert g.*.et --target astra-sim");
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_TRUE(holds(again.err, "g.astra-sim.0.et: of the job that was made of these graphs"))
      << again.err;
  for (const std::string graphs : {"g.*.et", "."}) {
    const Outcome replayed = run("replay " + graphs);
    EXPECT_EQ(replayed.exit_code, 0) << replayed.err;
    EXPECT_TRUE(holds(replayed.err, "g.astra-sim.0.et: of the job that was")) << replayed.err;
  }
}

TEST_F(GraphJobs, OfDamagedGraphsAreRefusedAsInput) {
  write_ranks([](int, EtFile& file) { file.device(1, 0, 5); });
  const std::string whole = read_file(path("g.1.et"));
  const auto refuses = [&](const std::string& good, const std::string& bad,
                           const std::string& why) {
    std::string damaged = whole;
    damaged.replace(damaged.find(good), good.size(), bad);
    folder_.write("g.1.et", damaged);
    for (const std::string target : {"astra-sim --coarsen none", "goal"}) {
      const Outcome outcome = run("convert g.*.et --output out/x --target " + target);
      EXPECT_EQ(outcome.exit_code, 3) << target << outcome.err;
      EXPECT_TRUE(holds(outcome.err, why)) << outcome.err;
    }
    EXPECT_EQ(run("replay g.1.et").exit_code, 3);
    EXPECT_EQ(run("check g.1.et").exit_code, 1);
  };
  refuses("kernel", "kern\xffl", "here is no Chakra node, or one whose text is not UTF-8");
  refuses("kernel\x18\x04", "kernel\x18\x63", "node 1 has the type 99, which is none");
  refuses("kernel", "kerne", "the file ends within a message");
}

TEST_F(GraphJobs, HaveNoRecordedTimeWhereNobodyRecordedThem) {
  ASSERT_EQ(run("generate data-parallel --layers 2 --npus 4 --output s/g").exit_code, 0);
  std::filesystem::remove(path("s/g.network.yml"));
  const Outcome outcome = run("convert s/g.*.et --target astra-sim --report r.json");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.out,
                    "  The graphs do not say when their nodes started, so that there is no "
                    "recorded time. The run takes "))
      << outcome.out;
  EXPECT_TRUE(holds(outcome.out,
                    "The network is not fitted: not all graphs say when their nodes started. The "
                    "files have links of 400 GB/s and 936 ns "))
      << outcome.out;
  EXPECT_FALSE(holds(outcome.out, "measured")) << outcome.out;
  const auto report = nlohmann::json::parse(read_file(path("r.json")));
  EXPECT_TRUE(report["recorded_span_ns"].is_null());
}

TEST_F(GraphJobs, AreMadeAgainBesideTheJobThatWasMadeOfThem) {
  ASSERT_EQ(run("generate data-parallel --layers 2 --npus 4 --output s/g").exit_code, 0);
  for (const char* what : {"first", "again, with the proxies of the first"}) {
    const Outcome outcome =
        run("convert s/g.*.et --target astra-sim --communication replay --output s/g.astra-sim");
    EXPECT_EQ(outcome.exit_code, 0) << what << outcome.err;
  }
  EXPECT_EQ(run("replay s").exit_code, 0);
}

TEST_F(GraphJobs, AreTakenFromFoldersAndArchivesThatHoldThemAlone) {
  for (const std::string job : {"plain", "packed"}) {
    std::filesystem::create_directory(path(job));
    for (int rank = 0; rank < 2; ++rank) {
      EtFile file(rank);
      file.metadata.clear_attr();
      file.collective(1, 0, 1 << 20, "4", 0, 5);
      folder_.write(job + "/g." + std::to_string(rank) + ".et", file.bytes());
    }
    folder_.write(job + "/g.comm_groups.json", R"({"4": [0, 1]})");
  }
  ASSERT_EQ(std::system(("gzip '" + path("packed") + "'/*.et").c_str()), 0);
  for (const std::string job : {"plain", "packed"}) {
    const Outcome outcome = run("convert " + job + " --target astra-sim --output out/" + job);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_FALSE(holds(outcome.err, "file-ignored")) << outcome.err;
    EXPECT_TRUE(holds(read_file(path("out/" + job + ".comm_groups.json")), "[0, 1]"));
  }
  EXPECT_EQ(read_file(path("out/plain.1.et")), read_file(path("out/packed.1.et")));
  const Outcome beside = run("convert plain --target astra-sim --output plain/g.astra-sim");
  ASSERT_EQ(beside.exit_code, 0) << beside.err;
  const Outcome again = run("convert plain/ --target astra-sim --output out/again");
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_TRUE(holds(again.err, "g.astra-sim.0.et: of the job that was made of these graphs"))
      << again.err;
  std::filesystem::create_directories(path("rest"));
  for (const std::string form : {"tar", "zip"}) {
    const std::string archive = "job." + form, prefix = "out/from_" + form;
    write_archive(path(archive), {{"g.0.et", read_file(path("plain/g.0.et"))},
                                  {"g.1.et", read_file(path("plain/g.1.et"))},
                                  {"g.comm_groups.json", R"({"4": [0, 1]})"}});
    const Outcome packed = run("convert " + archive + " --target astra-sim --output " + prefix);
    ASSERT_EQ(packed.exit_code, 0) << packed.err;
    EXPECT_EQ(read_file(path(prefix + ".1.et")), read_file(path("out/plain.1.et")));
    EXPECT_TRUE(holds(read_file(path(prefix + ".comm_groups.json")), "[0, 1]"));
  }
  std::filesystem::rename(path("plain/g.1.et"), path("rest/g.1.et"));
  const Outcome both = run("convert plain rest --target astra-sim --output out/both");
  ASSERT_EQ(both.exit_code, 0) << both.err;
  EXPECT_EQ(read_file(path("out/both.1.et")), read_file(path("out/plain.1.et")));
  const Outcome nothing = run("convert plain");
  EXPECT_EQ(nothing.exit_code, 3);
  EXPECT_TRUE(holds(nothing.err, "make a job of it with --target")) << nothing.err;
}

TEST_F(GraphJobs, OfAFolderAreThoseOfOneJob) {
  write_ranks([](int, EtFile& file) { file.device(1, 0, 5); });
  folder_.write("other.7.et", EtFile(7).bytes());
  const Outcome outcome = run("convert . --target astra-sim");
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_TRUE(holds(outcome.err,
                    ".: holds graphs of several jobs: g, other. Pass those of one, such as "
                    "./g.*.et"))
      << outcome.err;
}

TEST_F(GraphJobs, AreNotWrittenOverWhatTheyAreMadeOf) {
  write_ranks([](int, EtFile& file) { file.device(1, 0, 5); });
  const std::string before = read_file(path("g.1.et"));
  const Outcome outcome = run("convert g.*.et --target astra-sim --output g");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(holds(outcome.err, "is an input and would be overwritten")) << outcome.err;
  EXPECT_EQ(read_file(path("g.1.et")), before);
  EXPECT_EQ(run("convert g.0.et").exit_code, 3) << "nothing is to be made of it";
}

}  // namespace
}  // namespace nadi
