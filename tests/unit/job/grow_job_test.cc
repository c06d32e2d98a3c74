// Which groups grow with a job, and what its copies communicate.
#include "nadi/sim_bridge/job/grow_job.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "nadi/base/error.h"
#include "nadi/sim_bridge/job/make_job.h"
#include "nadi/sim_bridge/job/share_out.h"
#include "tests/et_file.h"

namespace nadi {
namespace {

using namespace ChakraProtoMsg;

/// Four ranks: 0 and 1, 2 and 3 are pairs; 0 and 2, 1 and 3 are of equal place in their pair.
class GrownJob : public testing::Test {
 protected:
  GrownJob() {
    for (int rank = 0; rank < 4; ++rank) files_.emplace_back(rank);
    describe("tp", "dp");
  }

  /// What the traces say of the groups "pair…" and "place…".
  void describe(const std::string& pairs, const std::string& places) {
    const auto group = [](const char* name, const std::string& desc, const char* ranks) {
      return "\"" + std::string(name) + "\":{\"desc\":\"" + desc + "\",\"ranks\":" + ranks +
             ",\"size\":2}";
    };
    groups_ = "{\"\":{\"desc\":\"default_pg\",\"ranks\":[],\"size\":4}," +
              group("pair0", pairs, "[0,1]") + "," + group("pair1", pairs, "[2,3]") + "," +
              group("place0", places, "[0,2]") + "," + group("place1", places, "[1,3]") + "}";
  }
  void on_pairs(std::int64_t type, std::int64_t bytes) {
    for (std::size_t rank = 0; rank < 4; ++rank)
      add(rank, type, bytes, "pair" + std::to_string(rank / 2));
  }
  void on_places(std::int64_t type, std::int64_t bytes) {
    for (std::size_t rank = 0; rank < 4; ++rank)
      add(rank, type, bytes, "place" + std::to_string(rank % 2));
  }
  void on_all(std::int64_t type, std::int64_t bytes) {
    for (std::size_t rank = 0; rank < 4; ++rank) add(rank, type, bytes, "");
  }
  void message(int from, int to) {
    files_[static_cast<std::size_t>(from)].message(++id_, NodeType::kSend, from, to, 0, 64,
                                                   ++time_);
    files_[static_cast<std::size_t>(to)].message(++id_, NodeType::kReceive, from, to, 0, 64,
                                                 ++time_);
  }

  Job job() const {
    const TemporaryFolder folder;
    std::vector<Graph> graphs;
    for (EtFile file : files_) graphs.push_back(file.world(4, groups_).load(folder));
    Diagnostics diagnostics;
    return make_job(std::move(graphs), MissingRanks::kRefuse, diagnostics);
  }
  /// "pair0 0 1; place0 0 2 4 6": groups of the job grown to so many ranks.
  std::string groups_at(std::int64_t world, const GrowthOptions& options = {}) const {
    Job grown = job();
    grow_job(grown, world, options);
    const JobCopies copies(grown);
    std::string text;
    for (const JobGroup& group : copies.groups()) {
      text += (text.empty() ? "" : "; ") + group.name;
      for (const std::int64_t rank : group.ranks) text += " " + std::to_string(rank);
    }
    return text;
  }
  std::string refusal(std::int64_t world, const GrowthOptions& options = {}) const {
    try {
      return "grown: " + groups_at(world, options);
    } catch (const Error& error) {
      return error.problem() + ". " + error.remedy();
    }
  }
  /// Bytes of the first rank's communication, in order.
  std::vector<std::int64_t> bytes_at(std::int64_t world) const {
    Job grown = job();
    grow_job(grown, world, {});
    std::vector<std::int64_t> bytes;
    for (const JobCommunication& c : grown.ranks[0].communications) bytes.push_back(c.bytes);
    return bytes;
  }

  std::vector<EtFile> files_;

 private:
  void add(std::size_t rank, std::int64_t type, std::int64_t bytes, const std::string& group) {
    files_[rank].collective(++id_, type, bytes, group, ++time_, 1);
  }

  std::string groups_;
  std::uint64_t id_ = 0;
  Ns time_ = 0;
};

TEST_F(GrownJob, UnitesTheCopiesOfDataParallelGroupsAndCopiesTheOthers) {
  on_pairs(ALL_REDUCE, 64);
  on_places(ALL_REDUCE, 64);
  EXPECT_EQ(groups_at(8),
            "pair0 0 1; pair0.1 4 5; place0 0 2 4 6; place1 1 3 5 7; pair1 2 3; pair1.1 6 7");
  EXPECT_EQ(groups_at(4), "pair0 0 1; place0 0 2; place1 1 3; pair1 2 3");
}

TEST_F(GrownJob, UnitesTheCopiesOfTheDefaultGroupOfAllRanks) {
  on_pairs(ALL_REDUCE, 64);
  on_all(BARRIER, 0);
  EXPECT_EQ(groups_at(8, {.groups = {"tp"}}), "pair0 0 1 4 5;  0 1 2 3 4 5 6 7; pair1 2 3 6 7");
}

TEST_F(GrownJob, GrowsByTheWordsOfADescription) {
  on_pairs(ALL_REDUCE, 64);
  on_places(ALL_REDUCE, 64);
  for (const char* desc : {"DATA_PARALLEL_GROUP", "mesh_dp_shard", "expert-data", "FSDP"}) {
    describe("TENSOR_MODEL_PARALLEL_GROUP", desc);
    EXPECT_TRUE(groups_at(8).find("place0 0 2 4 6") != std::string::npos) << desc;
  }
  describe("update", "expert");  // no word of it is one
  EXPECT_EQ(refusal(8),
            "no group is known to be data-parallel, so "
            "none grows with the job. Name those that grow, by name or description (`grow`): "
            "\"pair0\" (update) of ranks 0-1, \"place0\" (expert) of ranks 0, 2, "
            "\"place1\" (expert) of ranks 1, 3, \"pair1\" (update) of ranks 2-3");
}

TEST_F(GrownJob, NamesGroupsOfOneDescriptionApartWhereOnlySomeOfThemGrow) {
  on_pairs(ALL_REDUCE, 64);
  on_places(ALL_REDUCE, 64);
  using Names = std::vector<std::string>;
  Job by_description = job();
  const JobGrowth alike = grow_job(by_description, 8, {.groups = {"tp"}});
  EXPECT_EQ(alike.grown, (Names{"tp"}));
  EXPECT_EQ(alike.copied, (Names{"dp"}));
  Job by_name = job();
  const JobGrowth apart = grow_job(by_name, 8, {.groups = {"pair1"}});
  EXPECT_EQ(apart.grown, (Names{"\"pair1\" (tp) of ranks 2-3"}));
  EXPECT_EQ(apart.copied, (Names{"\"pair0\" (tp) of ranks 0-1", "dp"}));
}

TEST_F(GrownJob, WithoutDescriptionsGrowsGroupsOfEqualMembersThatReduceGradients) {
  describe("", "");
  on_places(REDUCE_SCATTER, 64);
  EXPECT_EQ(groups_at(8), "place0 0 2 4 6; place1 1 3 5 7");
  on_pairs(ALL_TO_ALL, 64);
  EXPECT_EQ(groups_at(8).substr(0, 25), "pair0 0 1; pair0.1 4 5; p");
  on_places(BROADCAST, 64);
  EXPECT_EQ(refusal(8).substr(0, 39), "no group is known to be data-parallel, ");
}

TEST_F(GrownJob, GroupsThatCrossEachOtherCannotBothGrow) {
  describe("", "");
  on_pairs(ALL_REDUCE, 64);
  on_places(ALL_REDUCE, 64);
  EXPECT_TRUE(
      refusal(8).find("\"pair0\" of ranks 0-1 and \"place0\" of ranks 0, 2 cross each other") !=
      std::string::npos)
      << refusal(8);
  EXPECT_EQ(groups_at(8, {.groups = {"pair0", "pair1"}}).substr(0, 29),
            "pair0 0 1 4 5; place0 0 2; pl");
}

TEST_F(GrownJob, AGroupAskedForMustBeOneOfTheJob) {
  on_pairs(ALL_REDUCE, 64);
  EXPECT_EQ(refusal(8, {.groups = {"dp"}}),
            "names no group of the job. Its groups are \"pair0\" (tp) of ranks 0-1, \"pair1\" (tp) "
            "of ranks 2-3");
}

TEST_F(GrownJob, HasAMultipleOfTheRecordedRanks) {
  on_places(ALL_REDUCE, 64);
  for (const std::int64_t world : {2, 6, 9})
    EXPECT_TRUE(refusal(world).find("is no multiple of the job's 4 ranks") != std::string::npos);
  EXPECT_TRUE(refusal(9).find("the next such size is 12") != std::string::npos) << refusal(9);
  EXPECT_TRUE(refusal(std::int64_t{1} << 40).find("is too large") != std::string::npos);
}

TEST_F(GrownJob, OfRanksThatShareNoGroupIsRefused) {
  message(0, 1);
  message(2, 3);
  EXPECT_TRUE(refusal(8).find("no group of ranks communicates") != std::string::npos) << refusal(8);
}

TEST_F(GrownJob, GathersSmallerShardsAndGivesAsMuchToAllOtherCollectives) {
  on_places(ALL_GATHER, 1001);
  on_places(REDUCE_SCATTER, 4096);
  on_places(ALL_REDUCE, 64);
  on_places(ALL_TO_ALL, 640);
  on_pairs(ALL_GATHER, 1000);  // of a group that is copied
  EXPECT_EQ(bytes_at(8), (std::vector<std::int64_t>{501, 4096, 64, 640, 1000}));
  EXPECT_EQ(bytes_at(40), (std::vector<std::int64_t>{101, 4096, 64, 640, 1000}));
}

TEST_F(GrownJob, MovesMessagesByTheRanksOfTheCopiesBefore) {
  on_places(ALL_REDUCE, 64);
  message(1, 2);
  Job grown = job();
  grow_job(grown, 12, {});
  const JobCopies copies(grown);
  const auto moved = copies.of_copy(grown.ranks[1].communications, 2);
  EXPECT_EQ(moved[1].src, 9);
  EXPECT_EQ(moved[1].dst, 10);
  EXPECT_EQ(copies.groups()[moved[0].job_group].ranks,
            (std::vector<std::int64_t>{1, 3, 5, 7, 9, 11}));
  const Job outline = copies.outline(grown);
  ASSERT_EQ(outline.ranks.size(), 12U);
  EXPECT_TRUE(outline.ranks[9].is_copy);
  EXPECT_FALSE(outline.ranks[1].is_copy);
  EXPECT_EQ(outline.ranks[9].graph, grown.ranks[1].graph);
}

/// The kernels of a rank whose optimizer works on shards, in ns; of a job of three copies.
std::vector<Ns> kernels_of(const EtFile& file) {
  const TemporaryFolder folder;
  const Graph graph = file.load(folder);
  Job job;
  job.copies = 3;
  job.ranks.resize(1);
  job.ranks[0].shares_optimizer = true;
  JobRank whole;
  whole.add_recorded(graph);
  share_out_optimizer(job, 0, graph, whole);
  std::vector<Ns> kernels;
  for (std::size_t node = 0; node < whole.size(); ++node)
    if (!whole.is_host[node]) kernels.push_back(whole.duration_ns[node]);
  return kernels;
}

TEST(ShardCompute, DividesKernelsLaunchedWithinTheOptimizerByTheCopies) {
  EtFile file;
  file.host(1, 0, 1).set_name("Optimizer.step#AdamW.step");
  auto& op = file.host(2, 1, 1);
  op.add_ctrl_deps(1);
  EtFile::attribute(op, "rf_id").set_int64_val(7);
  EtFile::attribute(file.device(3, 2, 10, {2}), "rf_id").set_int64_val(7);
  auto& other = file.host(4, 4, 1, {2});
  EtFile::attribute(other, "rf_id").set_int64_val(8);
  EtFile::attribute(file.device(5, 12, 10, {4}), "rf_id").set_int64_val(8);
  file.device(6, 22, 30, {5}).set_name("optimizer.adam.step0");
  EXPECT_EQ(kernels_of(file), (std::vector<Ns>{3'334, 10'000, 10'000}));
}

}  // namespace
}  // namespace nadi
