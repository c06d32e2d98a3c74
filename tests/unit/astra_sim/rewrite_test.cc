// What the rewriting does to small jobs.
#include "nadi/sim_bridge/astra_sim/rewrite.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <map>

#include "nadi/sim_bridge/astra_sim/check.h"
#include "nadi/sim_bridge/astra_sim/write_files.h"
#include "nadi/sim_bridge/job/make_job.h"
#include "tests/error_of.h"
#include "tests/et_file.h"

namespace nadi::astra_sim {
namespace {

using namespace ChakraProtoMsg;

constexpr const char* kPair = "{\"dp\":{\"desc\":\"\",\"ranks\":[0,1],\"size\":2}}";

struct Rewritten {
  Job job;
  std::vector<JobRank> ranks;      // whole
  std::vector<std::string> files;  // as written, by rank
  Diagnostics diagnostics;
  JobCheck check;
  Ns recorded_ns = 0;

  std::uint64_t count(Finding kind) const { return diagnostics.count(kind); }
  /// Kept nodes of a rank of a type.
  std::vector<std::uint32_t> nodes(std::size_t rank, NodeType type) const {
    std::vector<std::uint32_t> found;
    for (const std::uint32_t node : ranks[rank].order)
      if (ranks[rank].type[node] == type) found.push_back(node);
    return found;
  }
  const JobCommunication& communication(std::size_t rank, std::uint32_t node) const {
    return ranks[rank].communication_of(node);
  }
};

/// Rewrites, writes and checks, as nadi convert does.
Rewritten rewrite_files(const std::vector<EtFile>& files, RewriteOptions options = {},
                        MissingRanks missing = MissingRanks::kRefuse) {
  options.communication = Communication::kNetwork;
  TemporaryFolder folder;
  std::vector<Graph> graphs;
  for (const EtFile& file : files) graphs.push_back(file.load(folder));
  Rewritten result;
  result.job = make_job(std::move(graphs), missing, result.diagnostics);
  CheckOptions check;
  const auto write = [&](std::size_t rank, const Graph& graph, const JobRank& whole) {
    std::string bytes;
    write_rank(result.job, rank, graph, whole, [&](std::string_view piece) { bytes += piece; });
    check.files.push_back(folder.write("job." + std::to_string(rank) + ".et", bytes));
    result.ranks.push_back(whole);
    result.files.push_back(std::move(bytes));
  };
  result.recorded_ns = rewrite(result.job, options, result.diagnostics, write).recorded_span_ns;
  check.comm_groups = folder.write("groups.json", comm_groups_text(result.job));
  result.check = check_job(check);
  return result;
}

/// Rewrites a job of this file as rank 0 and of a rank 1 that has one host op.
Rewritten rewrite_beside_a_host_op(const EtFile& file) {
  EtFile other(1);
  other.host(1, 0, 1);
  return rewrite_files({file, other});
}

/// What the error says that ends the rewriting.
std::string refusal(const std::vector<EtFile>& files,
                    MissingRanks missing = MissingRanks::kRefuse) {
  return error_of([&] { rewrite_files(files, {}, missing); }).problem();
}

void expect_good(const Rewritten& result) {
  EXPECT_TRUE(result.check.all_run);
  for (const CheckFinding& finding : result.check.findings)
    if (severity_of(finding.rule) == CheckSeverity::kError)
      ADD_FAILURE() << to_string(finding.rule) << ": " << finding.first.front();
}

std::vector<EtFile> two_ranks(std::int64_t type, std::int64_t bytes = 4096) {
  std::vector<EtFile> files;
  for (int rank = 0; rank < 2; ++rank) {
    EtFile& file = files.emplace_back(rank).world(2, kPair);
    file.host(1, 0, 3);
    file.collective(2, type, bytes, "dp", 3, 8, {1});
    file.host(3, 12, 1, {2});
  }
  return files;
}

TEST(AstraSimRewrite, GroupNamesBecomeDecimalNumbersThatAllRanksShare) {
  const Rewritten result = rewrite_files(two_ranks(ALL_REDUCE));
  expect_good(result);
  ASSERT_EQ(result.job.groups.size(), 1U);
  EXPECT_EQ(comm_groups_text(result.job), "{\n  \"1\": [0, 1]\n}\n");
}

TEST(AstraSimRewrite, WhatWaitedForADroppedNodeWaitsForWhatThatWaitedFor) {
  EtFile file;
  file.host(1, 0, 3);
  file.device(2, 3, 4, {1}).set_type(METADATA_NODE);
  file.device(3, 7, 4, {2}).set_type(INVALID_NODE);
  file.host(4, 11, 1, {3});
  const Rewritten result = rewrite_beside_a_host_op(file);
  expect_good(result);
  EXPECT_EQ(result.count(Finding::kMetadataDropped), 2U);
  const JobRank& rank = result.ranks[0];
  bool is_linked = false;
  for (const JobDependency& d : rank.dependencies) is_linked |= d.node == 3 && d.on == 0;
  EXPECT_TRUE(is_linked);
}

TEST(AstraSimRewrite, CollectivesOfGroupsOfOneMemberGoAway) {
  EtFile file;
  file.world(2, "{\"self\":{\"desc\":\"\",\"ranks\":[0],\"size\":1}}");
  file.host(1, 0, 3);
  file.collective(2, ALL_REDUCE, 64, "self", 3, 8, {1});
  EtFile other(1);
  other.world(2, "{}");
  other.host(1, 0, 1);
  const Rewritten result = rewrite_files({file, other});
  expect_good(result);
  EXPECT_EQ(result.count(Finding::kOneMemberGroupDropped), 1U);
  EXPECT_TRUE(result.nodes(0, NodeType::kCollective).empty());
}

TEST(AstraSimRewrite, ABarrierBecomesAnAllReduceOfOneByte) {
  const Rewritten result = rewrite_files(two_ranks(BARRIER, 0));
  expect_good(result);
  const auto nodes = result.nodes(1, NodeType::kCollective);
  ASSERT_EQ(nodes.size(), 1U);
  EXPECT_EQ(result.communication(1, nodes[0]).type, ALL_REDUCE);
  EXPECT_EQ(result.communication(1, nodes[0]).bytes, 1);
}

TEST(AstraSimRewrite, UnsupportedCollectivesBecomeTheNearestOrTheirTimeOrAnError) {
  struct Mapping {
    std::int64_t from, to, bytes;
  };
  for (const Mapping row :
       {Mapping{REDUCE, REDUCE_SCATTER, 4096}, Mapping{GATHER, ALL_GATHER, 4096},
        Mapping{SCATTER, REDUCE_SCATTER, 8192},
        Mapping{REDUCE_SCATTER_BLOCK, REDUCE_SCATTER, 4096}}) {
    const Rewritten mapped = rewrite_files(two_ranks(row.from));
    expect_good(mapped);
    const auto nodes = mapped.nodes(0, NodeType::kCollective);
    ASSERT_EQ(nodes.size(), 1U);
    EXPECT_EQ(mapped.communication(0, nodes[0]).type, row.to);
    EXPECT_EQ(mapped.communication(0, nodes[0]).bytes, row.bytes);

    RewriteOptions options;
    options.unsupported = Unsupported::kReplay;
    const Rewritten replayed = rewrite_files(two_ranks(row.from), options);
    expect_good(replayed);
    EXPECT_TRUE(replayed.nodes(0, NodeType::kCollective).empty());
    EXPECT_EQ(replayed.check.makespan_ns, 13'000);  // 3 + 8 + idle 1 + 1

    options.unsupported = Unsupported::kError;
    EXPECT_THROW(rewrite_files(two_ranks(row.from), options), Error);
  }
}

TEST(AstraSimRewrite, AnAllGatherIsNeverSmallerThanTheDatasetSplits) {
  RewriteOptions options;
  options.dataset_splits = 4;
  const Rewritten result = rewrite_files(two_ranks(ALL_GATHER, 2), options);
  expect_good(result);
  EXPECT_EQ(result.communication(0, result.nodes(0, NodeType::kCollective)[0]).bytes, 4);
  EXPECT_EQ(result.count(Finding::kSizeRaised), 2U);
}

TEST(AstraSimRewrite, UnevenSplitsTakeTheLargestSizeButAnAllReduceMustAgree) {
  std::vector<EtFile> files = two_ranks(ALL_TO_ALL);
  EtFile::attribute(files[1].nodes[1], "comm_size").set_int64_val(5000);
  const Rewritten result = rewrite_files(files);
  expect_good(result);
  EXPECT_EQ(result.communication(0, result.nodes(0, NodeType::kCollective)[0]).bytes, 5000);

  files = two_ranks(ALL_REDUCE);
  EtFile::attribute(files[1].nodes[1], "comm_size").set_int64_val(5000);
  EXPECT_THROW(rewrite_files(files), Error);
}

TEST(AstraSimRewrite, ACollectiveThatARankLacksIsAnErrorWithATable) {
  std::vector<EtFile> files = two_ranks(ALL_REDUCE);
  files[1].nodes.pop_back();
  files[1].nodes.pop_back();
  EXPECT_EQ(refusal(files),
            "the ranks do not communicate alike (1 mismatch):\n"
            "  group \"dp\", collective 1: ALL_REDUCE of 4096 bytes on rank 0; nothing on rank 1");
}

TEST(AstraSimRewrite, GroupsNamedByAddressesAreOneWhereTheirMembersAre) {
  std::vector<EtFile> files;
  for (int rank = 0; rank < 2; ++rank) {
    const std::string one = rank == 0 ? "94594108284448" : "94428220485728";
    const std::string two = rank == 0 ? "94594108280000" : "94428220480000";
    EtFile& file = files.emplace_back(rank).world(
        2, "{\"" + one + "\":{\"ranks\":[],\"size\":2},\"" + two + "\":{\"ranks\":[0,1]}}");
    file.collective(1, ALL_TO_ALL, 64, one, 0, 5);
    file.collective(2, ALL_REDUCE, 64, two, 5, 5, {1});
  }
  const Rewritten result = rewrite_files(files);
  expect_good(result);
  EXPECT_EQ(result.job.groups.size(), 2U);
}

TEST(AstraSimRewrite, GroupsThatShareRanksKeepOneOrderOnAllRanks) {
  // Rank 1 happened to start "b" first; nothing orders the two, so rank 0's order can hold.
  std::vector<EtFile> files;
  const char* groups =
      "{\"a\":{\"desc\":\"\",\"ranks\":[0,1]},\"b\":{\"desc\":\"\",\"ranks\":[0,1]}}";
  for (int rank = 0; rank < 2; ++rank) {
    EtFile& file = files.emplace_back(rank).world(2, groups);
    file.collective(1, ALL_REDUCE, 64, rank == 0 ? "a" : "b", 0, 5);
    file.collective(2, ALL_REDUCE, 64, rank == 0 ? "b" : "a", 1, 5);
  }
  expect_good(rewrite_files(files));
}

TEST(AstraSimRewrite, OrdersThatCannotBeMadeOneAreAnErrorThatNamesTheCollectives) {
  std::vector<EtFile> files;
  const char* groups =
      "{\"a\":{\"desc\":\"\",\"ranks\":[0,1]},\"b\":{\"desc\":\"\",\"ranks\":[0,1]}}";
  for (int rank = 0; rank < 2; ++rank) {
    EtFile& file = files.emplace_back(rank).world(2, groups);
    file.collective(1, ALL_REDUCE, 64, rank == 0 ? "a" : "b", 0, 5);
    file.collective(2, ALL_REDUCE, 64, rank == 0 ? "b" : "a", 5, 5, {1});
  }
  const std::string problem = refusal(files);
  EXPECT_NE(problem.find("in a cycle"), std::string::npos) << problem;
  EXPECT_NE(problem.find("of rank 1"), std::string::npos) << problem;
}

std::vector<EtFile> messages(int tag_of_second) {
  std::vector<EtFile> files;
  for (int rank = 0; rank < 2; ++rank) {
    EtFile& file = files.emplace_back(rank);
    const NodeType type = rank == 0 ? NodeType::kSend : NodeType::kReceive;
    file.host(1, 0, 2);
    file.message(2, type, 0, 1, 600'000'000, 64, 2, {1});
    file.message(3, type, 0, 1, tag_of_second, 64, 8, {2});
  }
  return files;
}

TEST(AstraSimRewrite, TagsAreUniquePerPairAndNoRankEndsOnAMessage) {
  const Rewritten result = rewrite_files(messages(600'000'000));
  expect_good(result);
  const auto sends = result.nodes(0, NodeType::kSend);
  ASSERT_EQ(sends.size(), 2U);
  EXPECT_EQ(result.communication(0, sends[0]).tag, 0);
  EXPECT_EQ(result.communication(0, sends[1]).tag, 1);
  EXPECT_EQ(result.count(Finding::kEndNodeAdded), 2U);
  EXPECT_EQ(result.check.find(CheckRule::kMessageRepeated), nullptr);
}

TEST(AstraSimRewrite, AMessageNobodyReceivesIsAnErrorUnlessLonelyOnesAreDropped) {
  std::vector<EtFile> files = messages(1);
  files[1].nodes.pop_back();
  EXPECT_THROW(rewrite_files(files), Error);
  RewriteOptions options;
  options.drops_lonely_messages = true;
  const Rewritten result = rewrite_files(files, options);
  expect_good(result);
  EXPECT_EQ(result.count(Finding::kMessageWithoutPartnerDropped), 1U);
}

TEST(AstraSimRewrite, OnlyTimeInWhichNoHostThreadWorksBecomesADelay) {
  EtFile file;
  file.host(1, 0, 10);
  // Another thread works from 5 to 30: the first thread's idle time from 10 to 20 is no delay.
  EtFile::attribute(file.host(2, 5, 25), "tid").set_int64_val(2);
  file.host(3, 20, 2, {1});
  file.host(4, 40, 2, {3});  // nobody worked from 30 to 40
  file.device(5, 42, 18, {4});
  file.host(6, 65, 1, {4, 5});  // the kernel explains up to 60
  const Rewritten result = rewrite_beside_a_host_op(file);
  expect_good(result);
  std::vector<Ns> delays;
  for (const std::uint32_t node : result.ranks[0].order)
    if (result.ranks[0].is_delay[node]) delays.push_back(result.ranks[0].duration_ns[node]);
  EXPECT_EQ(delays, (std::vector<Ns>{10'000, 5'000}));
}

TEST(AstraSimRewrite, WorkSideBySideGetsItsShareOfTheTime) {
  EtFile file;
  file.host(1, 0, 10);
  // Another thread works from 4 to 10: both share these six microseconds.
  EtFile::attribute(file.host(2, 4, 6), "tid").set_int64_val(2);
  file.host(3, 10, 5, {1, 2});
  file.device(4, 15, 20, {3});
  EtFile::attribute(file.device(5, 25, 30, {3}), "stream").set_int64_val(8);
  file.host(6, 55, 1, {4, 5, 3});
  const Rewritten result = rewrite_beside_a_host_op(file);
  expect_good(result);
  std::map<std::uint32_t, Ns> durations;  // by row
  const JobRank& rank = result.ranks[0];
  for (std::size_t node = 0; node < rank.size(); ++node)
    if (rank.row[node] != kNoIndex) durations[rank.row[node]] = rank.duration_ns[node];
  EXPECT_EQ(durations,
            (std::map<std::uint32_t, Ns>{
                {0, 7'000}, {1, 3'000}, {2, 5'000}, {3, 15'000}, {4, 25'000}, {5, 1'000}}));
  EXPECT_EQ(rank.tensor_size[3], 15'000 * 3350) << "the roofline mode takes as long";
  EXPECT_EQ(result.count(Finding::kSlotShared), 4U);
  EXPECT_EQ(result.check.makespan_ns, 56'000);  // one slot each takes as long as all took
}

TEST(AstraSimRewrite, WithoutStartsNothingRanSideBySide) {
  std::vector<EtFile> files{EtFile(0), EtFile(1)};
  for (EtFile& file : files) {
    file.host(1, 0, 10);
    EtFile::attribute(file.device(2, 0, 20, {1}), "stream").set_int64_val(8);
    file.device(3, 0, 30, {1});
    for (Node& node : file.nodes) node.mutable_attr()->erase(node.attr().begin());  // start_ns
  }
  const Rewritten result = rewrite_files(files);
  EXPECT_EQ(result.count(Finding::kSlotShared), 0U);
  EXPECT_EQ(result.check.makespan_ns, 60'000);
}

TEST(AstraSimRewrite, ARankThatBeganLaterWaitsBeforeItsFirstNodes) {
  std::vector<EtFile> files;
  for (int rank = 0; rank < 2; ++rank) {
    EtFile& file = files.emplace_back(rank).world(2, kPair);
    EtFile::attribute(file.metadata, "base_time_ns").set_int64_val(rank * 100'000);
    file.host(1, 0, 3);
    EtFile::attribute(file.host(2, 3, 4), "tid").set_int64_val(2);
    file.collective(3, ALL_REDUCE, 64, "dp", 3, rank == 0 ? 108 : 8, {1});
  }
  const Rewritten result = rewrite_files(files);
  expect_good(result);
  EXPECT_EQ(result.recorded_ns, 111'000);
  EXPECT_EQ(result.check.makespan_ns, 111'000);
  const JobRank& late = result.ranks[1];
  const std::uint32_t first = late.order.front();
  EXPECT_TRUE(late.is_delay[first]);
  EXPECT_EQ(late.duration_ns[first], 100'000);
  const Adjacency dependencies = dependencies_by_node(late);
  for (const std::uint32_t node : late.order)
    EXPECT_EQ(dependencies.of(node).empty(), node == first) << node;
}

TEST(AstraSimRewrite, AHostOpNamedDelayIsNoneInTheJobEither) {
  EtFile file;
  Node& op = file.host(1, 0, 10);
  op.set_name("delay");
  EtFile::attribute(op, "is_delay").set_bool_val(false);
  file.host(2, 40, 2, {1});
  const Rewritten result = rewrite_beside_a_host_op(file);
  expect_good(result);
  TemporaryFolder folder;
  const Graph written = load_chakra_graph(folder.write("job.et", result.files[0]));
  std::vector<Ns> work, waiting;
  for (std::uint32_t row = 0; row < written.size(); ++row)
    if (written.name_of(row) == "delay")
      (written.kind[row] == NodeKind::kDelay ? waiting : work).push_back(written.duration_ns[row]);
  EXPECT_EQ(work, std::vector<Ns>{10'000});
  EXPECT_EQ(waiting, std::vector<Ns>{30'000});
}

TEST(AstraSimRewrite, IdleTimesBelowAMicrosecondAddUpToADelay) {
  EtFile file;
  for (std::uint64_t id = 1; id <= 5; ++id) {
    Node& node = file.host(id, 0, 1, id == 1 ? Ids{} : Ids{id - 1});
    EtFile::attribute(node, "start_ns").set_int64_val(static_cast<Ns>(id - 1) * 1400);
  }
  const Rewritten result = rewrite_beside_a_host_op(file);
  EXPECT_EQ(result.count(Finding::kHostDelay), 1U);  // 4 x 400 ns: one whole microsecond
}

TEST(AstraSimRewrite, ADeviceRowNobodyLaunchedFollowsTheHostWorkBeforeIt) {
  EtFile file;
  file.host(1, 0, 10);
  file.device(2, 12, 4);
  const Rewritten result = rewrite_beside_a_host_op(file);
  expect_good(result);
  EXPECT_EQ(result.count(Finding::kUnlaunchedAnchored), 1U);
  EXPECT_EQ(result.check.makespan_ns, 16'000);  // 10, idle 2, 4
}

TEST(AstraSimRewrite, IdleTimeBeforeADeviceRowBecomesADelayWhereNothingElseWorks) {
  EtFile file;
  file.host(1, 0, 10);
  file.device(2, 60, 4, {1});  // nobody worked from 10 to 60
  file.device(3, 64, 6, {2});  // the row before explains it
  file.device(4, 90, 5, {3});  // nobody worked from 70 to 90
  file.host(5, 100, 1, {1});   // the delays are the host's idle time: 95 to 100 is left
  const Rewritten result = rewrite_beside_a_host_op(file);
  expect_good(result);
  EXPECT_EQ(result.count(Finding::kHostDelay), 3U);
  EXPECT_EQ(result.check.makespan_ns, 101'000);
  const JobRank& rank = result.ranks[0];
  for (std::size_t node = 0; node < rank.size(); ++node)
    EXPECT_TRUE(rank.is_host[node] || rank.row[node] != kNoIndex);  // no device delay
}

TEST(AstraSimRewrite, ADeviceRowBesideOthersOrBesideHostWorkGetsNoDelay) {
  EtFile file;
  file.host(1, 0, 50);
  file.device(2, 20, 80, {1});  // launched while 1 works
  // The device works anyway.
  EtFile::attribute(file.device(3, 70, 20, {1}), "stream").set_int64_val(8);
  const Rewritten result = rewrite_beside_a_host_op(file);
  expect_good(result);
  EXPECT_EQ(result.count(Finding::kHostDelay), 0U);
}

TEST(AstraSimRewrite, AnOpsOperationsAreThoseOfItsKernelsNotOfItsSetsAndCopies) {
  EtFile file;
  const auto with_shapes = [](Node& node) {
    node.set_name("aten::mm");
    node.mutable_inputs()->set_shapes("[[512, 1024], [1024, 1024]]");
    node.mutable_inputs()->set_types("['Tensor(float)', 'Tensor(float)']");
    node.mutable_outputs()->set_shapes("[[512, 1024]]");
    node.mutable_outputs()->set_types("['Tensor(float)']");
    EtFile::attribute(node, "rf_id").set_int64_val(7);
  };
  with_shapes(file.host(1, 0, 10));
  Node& set = file.device(2, 10, 2, {1});
  set.set_name("Memset (Device)");
  EtFile::attribute(set, "rf_id").set_int64_val(7);
  Node& kernel = file.device(3, 12, 138, {2});
  kernel.set_name("sgemm");
  EtFile::attribute(kernel, "rf_id").set_int64_val(7);
  const Rewritten result = rewrite_beside_a_host_op(file);
  expect_good(result);
  const JobRank& rank = result.ranks[0];
  EXPECT_EQ(rank.num_ops[1], 1);
  EXPECT_EQ(rank.tensor_size[1], 2'000 * 3350);  // what memory moves in its 2 us
  EXPECT_EQ(rank.num_ops[2], 1'073'741'824);
  EXPECT_EQ(rank.tensor_size[2], 4 * (2 * 512 * 1024 + 1024 * 1024));
}

/// An op on a cache of 13 GB whose kernel takes 4 us, and a product of so many rows in 4 us.
EtFile a_cache_and_a_product(int rank, int rows) {
  EtFile file(rank);
  const auto launch = [&](std::uint64_t id, std::int64_t rf_id, const char* op,
                          const std::string& shapes) {
    const auto at = static_cast<Ns>(20 * id);
    Node& host = file.host(id, at, 10);
    host.set_name(op);
    host.mutable_inputs()->set_shapes(shapes);
    host.mutable_inputs()->set_types("['Tensor(float)', 'Tensor(float)']");
    EtFile::attribute(host, "rf_id").set_int64_val(rf_id);
    EtFile::attribute(file.device(id + 1, at + 10, 4, {id}), "rf_id").set_int64_val(rf_id);
  };
  launch(1, 7, "vllm::attend", "[[1, 128], [26000000, 128]]");
  launch(3, 8, "aten::mm", "[[" + std::to_string(rows) + ", 1024], [1024, 512]]");
  return file;
}

TEST(AstraSimRewrite, AKernelHasNoMoreBytesAndOperationsThanItsDeviceDoesInItsTime) {
  RewriteOptions options;
  options.device = {.peak_tflops = 100, .memory_gb_per_s = 1000};
  const Rewritten result =
      rewrite_files({a_cache_and_a_product(0, 1), a_cache_and_a_product(1, 1024)}, options);
  expect_good(result);
  EXPECT_EQ(result.ranks[0].tensor_size[1], 4'000 * 1000);
  EXPECT_EQ(result.ranks[0].num_ops[1], 4'000 * 100'000);
  EXPECT_EQ(result.ranks[0].num_ops[3], 2 * 1024 * 512) << "as its shapes tell";
  EXPECT_EQ(result.ranks[1].num_ops[3], 4'000 * 100'000) << "of 1,073,741,824";
  EXPECT_EQ(result.count(Finding::kOperationsCapped), 3U);
  EXPECT_EQ(result.count(Finding::kOperationsFromShapes), 4U);
}

TEST(AstraSimRewrite, TensorsOfATypeNobodyKnowsAreCounted) {
  EtFile file;
  Node& op = file.host(1, 0, 10);
  op.set_name("aten::relu");
  op.mutable_inputs()->set_shapes("[[10], [5], [[2], [2]]]");
  op.mutable_inputs()->set_types("['Tensor(float)', 'Tensor(c10::Float3)', 'TensorList']");
  op.mutable_outputs()->set_shapes("[[10], []]");
  op.mutable_outputs()->set_types("['Tensor(c10::Float3)', 'Tensor(nullptr (uninitialized))']");
  EtFile::attribute(op, "rf_id").set_int64_val(7);
  EtFile::attribute(file.device(2, 10, 2, {1}), "rf_id").set_int64_val(7);
  EXPECT_EQ(rewrite_beside_a_host_op(file).count(Finding::kTensorTypeUnknown), 4U);
}

/// Ten collectives, one every 100 us, without the one lost; rank 1 is 7 ms ahead.
EtFile ten_collectives_but(int rank, int lost) {
  EtFile file(rank);
  file.world(2, kPair).host(1, 0, 3);
  std::uint64_t last = 1;
  for (int i = 1; i <= 10; ++i) {
    if (i == lost) continue;
    const auto id = static_cast<std::uint64_t>(i + 1);
    file.collective(id, i % 2 == 0 ? ALL_REDUCE : ALL_GATHER, 1024 * i, "dp", 7000 * rank + 100 * i,
                    60, {last});
    last = id;
  }
  return file;
}

TEST(AstraSimRewrite, CollectivesThatRanksLostAreRestoredFromTheirPartners) {
  const Rewritten result = rewrite_files({ten_collectives_but(0, 3), ten_collectives_but(1, 8)});
  expect_good(result);
  EXPECT_EQ(result.count(Finding::kCommunicationRestored), 2U);
  for (const std::size_t rank : {0U, 1U}) {
    const std::vector<std::uint32_t> nodes = result.nodes(rank, NodeType::kCollective);
    ASSERT_EQ(nodes.size(), 10U);
    for (std::size_t i = 0; i < nodes.size(); ++i)
      EXPECT_EQ(result.communication(rank, nodes[i]).bytes, 1024 * static_cast<int>(i + 1));
  }
}

TEST(AstraSimRewrite, MembersThatDisagreeAreListedTogether) {
  std::vector<EtFile> files;
  for (int rank = 0; rank < 3; ++rank)
    files.emplace_back(rank)
        .world(3, "{\"dp\":{\"desc\":\"\",\"ranks\":[0,1,2]}}")
        .collective(1, rank == 2 ? ALL_TO_ALL : ALL_REDUCE, 64, "dp", 0, 5);
  const std::string problem = refusal(files);
  EXPECT_NE(problem.find("ALL_REDUCE of 64 bytes on ranks 0, 1; ALL_TO_ALL of 64 bytes "
                         "on rank 2"),
            std::string::npos)
      << problem;
}

TEST(AstraSimRewrite, AbsentRanksAreAnErrorDroppedOrCopied) {
  const std::vector<EtFile> files = {two_ranks(ALL_REDUCE)[0]};
  EXPECT_EQ(refusal(files), "1 of the job's 2 ranks were given, and these are needed too: 1");
  const Rewritten copied = rewrite_files(files, {}, MissingRanks::kCopy);
  expect_good(copied);
  EXPECT_EQ(copied.nodes(1, NodeType::kCollective).size(), 1U);
  const Rewritten dropped = rewrite_files(files, {}, MissingRanks::kDrop);
  EXPECT_EQ(dropped.job.ranks.size(), 1U);
  EXPECT_EQ(dropped.count(Finding::kOneMemberGroupDropped), 1U);
}

TEST(AstraSimRewrite, CopiesOfMoreNodesThanFitIntoMemoryAreRefused) {
  EtFile file(0);
  file.world(1 << 20, R"({"dp":{"ranks":[]}})").collective(1, ALL_REDUCE, 64, "dp", 3, 5);
  for (int id = 2; id <= 100; ++id) file.host(static_cast<std::uint64_t>(id), 10 * id, 3);
  EXPECT_EQ(refusal({file}, MissingRanks::kCopy),
            "copies for 1048575 ranks that nobody recorded would have over 67 million nodes");
}

TEST(AstraSimRewrite, ACopyCommunicatesInItsOwnGroups) {
  // Ranks 0 and 1 of 4 in a tensor-parallel pair; nothing describes the pair of ranks 2 and 3.
  std::vector<EtFile> files;
  for (int rank = 0; rank < 2; ++rank) {
    EtFile& file =
        files.emplace_back(rank).world(4, "{\"tp\":{\"desc\":\"tp\",\"ranks\":[0,1],\"size\":2}}");
    file.host(1, 0, 3);
    file.collective(2, ALL_REDUCE, 64, "tp", 3, 8, {1});
  }
  const Rewritten pair = rewrite_files(files);  // the others are not needed
  EXPECT_EQ(pair.job.ranks.size(), 2U);
  for (EtFile& file : files) file.collective(3, ALL_REDUCE, 64, "", 20, 8, {2});  // all ranks
  const Rewritten result = rewrite_files(files, {}, MissingRanks::kCopy);
  expect_good(result);
  EXPECT_EQ(comm_groups_text(result.job),
            "{\n  \"1\": [0, 1],\n  \"2\": [0, 1, 2, 3],\n  \"3\": [2, 3]\n}\n");
}

TEST(AstraSimRewrite, AMessageToTheGreatestRankThereIsIsOfAnotherJob) {
  EtFile file;
  file.world(2, kPair);
  Node& send = file.message(1, NodeType::kSend, 0, 1, 7, 8192, 8);
  EtFile::attribute(send, "comm_dst").set_int64_val(std::numeric_limits<std::int64_t>::max());
  EXPECT_THROW(rewrite_files({file}, {}, MissingRanks::kDrop), Error);
}

TEST(AstraSimRewrite, ContradictionsNameTheFileAndTheRank) {
  std::vector<EtFile> twice = two_ranks(ALL_REDUCE);
  twice[1] = twice[0];
  EXPECT_THROW(rewrite_files(twice), Error);

  std::vector<EtFile> sizes = two_ranks(ALL_REDUCE);
  EtFile::attribute(sizes[1].metadata, "world_size").set_int64_val(4);
  const std::string of_sizes = refusal(sizes);
  EXPECT_NE(of_sizes.find("rank 1 is of a job of 4 ranks"), std::string::npos) << of_sizes;

  std::vector<EtFile> stranger = two_ranks(ALL_REDUCE);
  EtFile::attribute(stranger[1].metadata, "process_groups")
      .set_string_val("{\"dp\":{\"ranks\":[0]}}");
  const std::string of_stranger = refusal(stranger);
  EXPECT_NE(of_stranger.find("of which it is no member"), std::string::npos) << of_stranger;
}

}  // namespace
}  // namespace nadi::astra_sim
