// Each rule of the profile check is broken once, and found; a good job breaks none.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "nadi/sim_bridge/astra_sim/check.h"
#include "tests/error_of.h"
#include "tests/et_file.h"

namespace nadi::astra_sim {
namespace {

using namespace ChakraProtoMsg;

constexpr const char* kGroups = "{\"1\": [0, 1]}";

/// Two ranks: host op, kernel with costs, all-reduce, message from 0 to 1, host op at the end.
struct GoodJob {
  EtFile ranks[2] = {EtFile(0), EtFile(1)};
  std::string groups = kGroups;

  GoodJob() {
    for (int rank = 0; rank < 2; ++rank) {
      EtFile& file = ranks[rank];
      file.host(1, 0, 3);
      Node& kernel = file.device(2, 3, 10, {1});
      EtFile::attribute(kernel, "num_ops").set_int64_val(10);
      EtFile::attribute(kernel, "tensor_size").set_uint64_val(10);
      file.collective(3, ALL_REDUCE, 4096, "1", 13, 8, {2});
      file.message(4, rank == 0 ? NodeType::kSend : NodeType::kReceive, 0, 1, 0, 64, 21, {3});
      file.host(5, 26, 1, {4});
    }
  }
  Node& node(int rank, std::size_t id) { return ranks[rank].nodes[id - 1]; }
  AttributeProto& attribute(int rank, std::size_t id, const std::string& name) {
    return EtFile::attribute(node(rank, id), name);
  }

  JobCheck check(const TemporaryFolder& folder, const std::string& prefix = "job",
                 CheckOptions options = {}) const {
    for (int rank = 0; rank < 2; ++rank)
      options.files.push_back(
          folder.write(prefix + "." + std::to_string(rank) + ".et", ranks[rank].bytes()));
    options.comm_groups = folder.write("groups.json", groups);
    return check_job(options);
  }
};

void remove_attribute(Node& node, const std::string& name) {
  for (int i = node.attr_size() - 1; i >= 0; --i)
    if (node.attr(i).name() == name) node.mutable_attr()->DeleteSubrange(i, 1);
}

TEST(AstraSimCheck, FindsNothingInAGoodJobAndRunsAllOfIt) {
  TemporaryFolder folder;
  const JobCheck check = GoodJob().check(folder);
  for (const CheckFinding& finding : check.findings)
    ADD_FAILURE() << to_string(finding.rule) << ": " << finding.first.front();
  EXPECT_TRUE(check.all_run);
  EXPECT_EQ(check.nodes, 10U);
  // 3 + 10 + 8 (all-reduce) + 5 (send) + 1.
  EXPECT_EQ(check.makespan_ns, 27'000);
}

struct Broken {
  CheckRule rule;
  std::function<void(GoodJob&)> break_it;
};

// Each case names the one rule it must break; others may follow from it.
const std::vector<Broken>& broken_jobs() {
  using enum CheckRule;
  static const std::vector<Broken> all = {
      {kMetadataMissingInJob, [](GoodJob& job) { job.ranks[0].has_metadata = false; }},
      {kNoNodesInJob, [](GoodJob& job) { job.ranks[1].nodes.clear(); }},
      {kDuplicateIdInJob, [](GoodJob& job) { job.node(0, 5).set_id(1); }},
      {kDanglingDependency, [](GoodJob& job) { job.node(0, 5).add_ctrl_deps(77); }},
      {kCycleInJob, [](GoodJob& job) { job.node(0, 2).add_ctrl_deps(5); }},
      {kTypeMetadataInJob, [](GoodJob& job) { job.node(0, 2).set_type(METADATA_NODE); }},
      {kTypeInvalidInJob, [](GoodJob& job) { job.node(0, 2).set_type(INVALID_NODE); }},
      {kMemoryWithoutSize,
       [](GoodJob& job) {
         job.node(0, 2).set_type(MEM_LOAD_NODE);
         remove_attribute(job.node(0, 2), "tensor_size");
       }},
      {kRooflineUnknown, [](GoodJob& job) { remove_attribute(job.node(0, 2), "num_ops"); }},
      {kRooflineNoOps, [](GoodJob& job) { job.attribute(0, 2, "num_ops").set_int64_val(0); }},
      {kDeviceDelay, [](GoodJob& job) { job.node(0, 2).set_name("delay"); }},
      {kDeviceDelay, [](GoodJob& job) { job.attribute(0, 2, "is_delay").set_bool_val(true); }},
      {kAttributeTypeInJob,
       [](GoodJob& job) { job.attribute(0, 3, "comm_size").set_string_val("4096"); }},
      {kAttributeMissingInJob, [](GoodJob& job) { remove_attribute(job.node(0, 3), "comm_type"); }},
      {kCommOnHostInJob, [](GoodJob& job) { job.attribute(0, 3, "is_cpu_op").set_bool_val(true); }},
      {kCommTypeNotSimulatedInJob,
       [](GoodJob& job) { job.attribute(0, 3, "comm_type").set_int64_val(BARRIER); }},
      {kBroadcastReplayed,
       [](GoodJob& job) { job.attribute(0, 3, "comm_type").set_int64_val(BROADCAST); }},
      {kAllGatherTooSmall,
       [](GoodJob& job) {
         for (int rank = 0; rank < 2; ++rank) {
           job.attribute(rank, 3, "comm_type").set_int64_val(ALL_GATHER);
           job.attribute(rank, 3, "comm_size").set_int64_val(3);
         }
       }},
      {kSizeZero, [](GoodJob& job) { job.attribute(0, 4, "comm_size").set_int64_val(0); }},
      {kInvolvedDim,
       [](GoodJob& job) {
         job.attribute(0, 3, "involved_dim").mutable_bool_list()->add_values(true);
       }},
      {kGroupNotDecimal, [](GoodJob& job) { job.attribute(0, 3, "pg_name").set_string_val("tp"); }},
      {kGroupNotDecimal,
       [](GoodJob& job) { job.attribute(0, 3, "pg_name").set_string_val("2147483648"); }},
      {kGroupUnknown, [](GoodJob& job) { job.attribute(0, 3, "pg_name").set_string_val("00"); }},
      {kGroupUnknown, [](GoodJob& job) { job.attribute(0, 3, "pg_name").set_string_val("-1x"); }},
      {kGroupNumber, [](GoodJob& job) { job.groups = "{\"1\": [0, 1], \"01\": [0, 1]}"; }},
      {kGroupUnknown, [](GoodJob& job) { job.attribute(0, 3, "pg_name").set_string_val("9"); }},
      {kGroupNumber, [](GoodJob& job) { job.groups = "{\"1\": [0, 1], \"2148\": [0, 1]}"; }},
      {kGroupMembers, [](GoodJob& job) { job.groups = "{\"1\": [0, 1, 1]}"; }},
      {kGroupMembers, [](GoodJob& job) { job.groups = "{\"1\": [0, 1, 2]}"; }},
      {kGroupNotMember, [](GoodJob& job) { job.groups = "{\"1\": [1, 2]}"; }},
      {kGroupOfOne, [](GoodJob& job) { job.groups = "{\"1\": [0]}"; }},
      {kOwnRankWrong, [](GoodJob& job) { job.attribute(0, 4, "comm_src").set_int32_val(1); }},
      {kRankMissing, [](GoodJob& job) { job.attribute(0, 4, "comm_dst").set_int32_val(2); }},
      {kTagTooLarge,
       [](GoodJob& job) {
         for (int rank = 0; rank < 2; ++rank)
           job.attribute(rank, 4, "comm_tag").set_int32_val(500'000'000);
       }},
      {kSendWithoutReceive, [](GoodJob& job) { job.attribute(0, 4, "comm_tag").set_int32_val(1); }},
      {kReceiveWithoutSend,
       [](GoodJob& job) { job.attribute(0, 4, "comm_size").set_int64_val(65); }},
      {kEndsOnMessage, [](GoodJob& job) { job.ranks[0].nodes.pop_back(); }},
      {kCollectivesDiffer,
       [](GoodJob& job) { job.attribute(0, 3, "comm_size").set_int64_val(8192); }},
      {kNeverRuns, [](GoodJob& job) { job.node(1, 3).set_type(COMP_NODE); }},
  };
  return all;
}

/// The check of a job for whose run there is no memory.
JobCheck check_without_run(const GoodJob& job) {
  const TemporaryFolder folder;
  CheckOptions options;
  options.memory = 100;
  const JobCheck check = job.check(folder, "job", options);
  EXPECT_FALSE(check.is_run);
  EXPECT_EQ(check.nodes, 10U);
  return check;
}

TEST(AstraSimCheck, WithoutMemoryForARunAGoodJobIsProvenToRun) {
  const JobCheck check = check_without_run(GoodJob());
  EXPECT_TRUE(check.all_run) << check.unproven;
  EXPECT_TRUE(check.findings.empty());
}

TEST(AstraSimCheck, WithoutMemoryForARunWhatIsBrokenIsNotProvenToRun) {
  struct Case {
    std::function<void(GoodJob&)> break_it;
    std::string unproven;
  };
  const Case cases[] = {
      {[](GoodJob& job) { job.node(1, 4).set_type(COMM_SEND_NODE); },
       "two messages are from rank 0 to rank 1 with tag 0"},
      {[](GoodJob& job) { job.node(1, 4).set_type(COMP_NODE); },
       "one end is missing of the message from rank 0 to rank 1 with tag 0"},
      {[](GoodJob& job) { job.node(0, 4).clear_data_deps(); },
       "communication of rank 0 may be issued in several orders"},
      {[](GoodJob& job) { job.attribute(1, 3, "comm_size").set_int64_val(64); },
       "ranks 0 and 1 do not issue the same collectives in group 1"},
      {[](GoodJob& job) {  // rank 0 sends behind the all-reduce, before which rank 1 receives
         job.node(1, 4).clear_data_deps();
         job.node(1, 3).add_data_deps(4);
       },
       "ranks wait for each other in a cycle"},
  };
  for (const Case& broken : cases) {
    GoodJob job;
    broken.break_it(job);
    const JobCheck check = check_without_run(job);
    EXPECT_FALSE(check.all_run);
    EXPECT_EQ(check.unproven, broken.unproven);
  }
}

TEST(AstraSimCheck, FindsEachBrokenRuleAndNeverSaysThatAllRunWhereAnErrorWasFound) {
  for (const Broken& broken : broken_jobs()) {
    SCOPED_TRACE(to_string(broken.rule));
    TemporaryFolder folder;
    GoodJob job;
    broken.break_it(job);
    const JobCheck check = job.check(folder);
    const CheckFinding* finding = check.find(broken.rule);
    ASSERT_NE(finding, nullptr);
    EXPECT_GE(finding->count, 1U);
    EXPECT_FALSE(finding->first.empty());
    EXPECT_EQ(check.all_run, !check.has_errors());
    if (info_of(broken.rule).assumed == "the collective did not run") {
      EXPECT_FALSE(check.all_read_ran);
    }
  }
}

TEST(AstraSimCheck, FindsACutFileAndAPackedNameAndAMissingRank) {
  TemporaryFolder folder;
  const GoodJob job;
  const std::string bytes = job.ranks[0].bytes();
  CheckOptions options;
  options.files = {folder.write("job.0.et", bytes.substr(0, bytes.size() - 3)),
                   folder.write("job.02.et", job.ranks[1].bytes()),
                   folder.write("job.3.et", job.ranks[1].bytes())};
  const JobCheck check = check_job(options);
  EXPECT_NE(check.find(CheckRule::kFramingInJob), nullptr);
  EXPECT_NE(check.find(CheckRule::kFileName), nullptr);
  ASSERT_NE(check.find(CheckRule::kRankMissing), nullptr);
  EXPECT_EQ(check.find(CheckRule::kRankMissing)->first.front(),
            "rank 2");  // job.02.et says it is rank 1
}

TEST(AstraSimCheck, CountsAllMissingRanksAndNamesTheFirst) {
  TemporaryFolder folder;
  const GoodJob job;
  CheckOptions options;
  options.files = {folder.write("job.1.et", job.ranks[1].bytes()),
                   folder.write("job.60000.et", job.ranks[1].bytes())};
  const JobCheck check = check_job(options);
  ASSERT_NE(check.find(CheckRule::kRankMissing), nullptr);
  EXPECT_EQ(check.find(CheckRule::kRankMissing)->count, 59'999U);
  EXPECT_EQ(check.find(CheckRule::kRankMissing)->first,
            (std::vector<std::string>{"rank 0", "rank 2", "rank 3"}));
}

TEST(AstraSimCheck, RanksAreThoseOfTheFilesNamesAlsoWhereOneIsMissing) {
  TemporaryFolder folder;
  GoodJob job;
  job.node(1, 5).add_ctrl_deps(77);
  CheckOptions options;
  options.files = {folder.write("job.0.et", job.ranks[0].bytes()),
                   folder.write("job.2.et", job.ranks[1].bytes())};
  const JobCheck check = check_job(options);
  ASSERT_NE(check.find(CheckRule::kRankMissing), nullptr);
  EXPECT_EQ(check.find(CheckRule::kRankMissing)->first.front(), "rank 1");
  ASSERT_NE(check.find(CheckRule::kDanglingDependency), nullptr);
  EXPECT_TRUE(
      check.find(CheckRule::kDanglingDependency)->first.front().starts_with("rank 2: node 5"))
      << check.find(CheckRule::kDanglingDependency)->first.front();
}

TEST(AstraSimCheck, AFileWithoutARankInItsNameHasThatOfItsMetadata) {
  TemporaryFolder folder;
  GoodJob job;
  job.node(1, 5).add_ctrl_deps(77);
  CheckOptions options;
  options.files = {folder.write("second.et", job.ranks[1].bytes()),
                   folder.write("first.et", job.ranks[0].bytes()),
                   folder.write("job.99999999999.et", job.ranks[0].bytes())};  // not believed
  const JobCheck check = check_job(options);
  EXPECT_EQ(check.find(CheckRule::kFileName)->count, 3U);
  ASSERT_NE(check.find(CheckRule::kDanglingDependency), nullptr);
  EXPECT_TRUE(
      check.find(CheckRule::kDanglingDependency)->first.front().starts_with("rank 1: node 5"));
  EXPECT_EQ(check.find(CheckRule::kRankMissing), nullptr);
}

TEST(AstraSimCheck, RunsWhatItCanWhereTheFilesCannotBeSimulatedAsTheyStand) {
  TemporaryFolder folder;
  GoodJob job;
  job.node(0, 5).add_ctrl_deps(77);
  const JobCheck check = job.check(folder);
  EXPECT_TRUE(check.all_read_ran);
  EXPECT_FALSE(check.all_run);
  EXPECT_NE(check.find(CheckRule::kDanglingDependency), nullptr);
}

TEST(AstraSimCheck, SaysWhyACollectiveNeverEnds) {
  struct Row {
    std::function<void(GoodJob&)> break_it;
    const char* reason;
  };
  for (const Row& row : {
           Row{[](GoodJob& job) { job.groups = "{\"1\": [0]}"; },
               "is in group 1: a group of one never ends"},
           Row{[](GoodJob& job) { job.groups = "{\"1\": [0, 1, 1]}"; },
               "is in group 1, in which rank 1 is listed twice"},
           Row{[](GoodJob& job) { job.groups = "{\"1\": [0, 1, 2]}"; },
               "waits in group 1 for rank 2 (has no nodes)"},
           Row{[](GoodJob& job) { job.groups = "{\"1\": [1, 2]}"; },
               "is in group 1, of which its rank is no member"},
           Row{[](GoodJob& job) { job.node(1, 3).set_type(COMP_NODE); },
               "waits in group 1 for rank 1"},
       }) {
    SCOPED_TRACE(row.reason);
    TemporaryFolder folder;
    GoodJob job;
    row.break_it(job);
    const JobCheck check = job.check(folder);
    ASSERT_NE(check.find(CheckRule::kNeverRuns), nullptr);
    EXPECT_EQ(
        check.find(CheckRule::kNeverRuns)->first.front(),
        "rank 0: node 3 (coll) " + std::string(row.reason) + "; 3 nodes of the rank never run");
  }
}

TEST(AstraSimCheck, ShowsTypeAndBytesOfCollectivesThatDiffer) {
  TemporaryFolder folder;
  GoodJob job;
  job.attribute(1, 3, "comm_type").set_int64_val(ALL_TO_ALL);
  job.attribute(1, 3, "comm_size").set_int64_val(64);
  const JobCheck check = job.check(folder);
  ASSERT_NE(check.find(CheckRule::kCollectivesDiffer), nullptr);
  EXPECT_EQ(check.find(CheckRule::kCollectivesDiffer)->first.front(),
            "group 1, collective 1: ALL_REDUCE of 4096 bytes on rank 0, node 3 (coll); "
            "ALL_TO_ALL of 64 bytes on rank 1, node 3 (coll)");
}

TEST(AstraSimCheck, TimesThatAddUpToMoreThanThirtyYearsAreAnErrorNoNegativeTime) {
  TemporaryFolder folder;
  GoodJob job;
  job.ranks[1].nodes.clear();
  for (std::uint64_t id = 1; id <= 10'000; ++id) {
    EtFile& file = job.ranks[1];
    file.host(id, 0, 1, id == 1 ? Ids{} : Ids{id - 1}).set_duration_micros(1'000'000'000'000);
  }
  const Error error = error_of([&] { job.check(folder); });
  EXPECT_EQ(error.code(), ErrorCode::kInput);
  EXPECT_STREQ(error.what(),
               "rank 1: node 1 (op): takes 1000000000000 us, and all nodes of the job take more "
               "than 30 years. These are no times: write the graphs again");
}

TEST(AstraSimCheck, AFolderInPlaceOfAGraphIsAnErrorThatSaysWhatToPass) {
  TemporaryFolder folder;
  CheckOptions options;
  options.files = {folder / ""};
  const Error error = error_of([&] { check_job(options); });
  EXPECT_EQ(error.problem(), "is a folder");
  EXPECT_EQ(error.remedy(), "Pass the graphs in it: " + (folder / "") + "/*.et");
}

TEST(AstraSimCheck, SeesTwoGroupsThatWaitForEachOtherInACircle) {
  TemporaryFolder folder;
  GoodJob job;
  job.groups = "{\"1\": [0, 1], \"2\": [0, 1]}";
  for (int rank = 0; rank < 2; ++rank) {
    EtFile& file = job.ranks[rank];
    file.nodes.clear();
    file.collective(1, ALL_REDUCE, 64, rank == 0 ? "1" : "2", 0, 5);
    file.collective(2, ALL_REDUCE, 64, rank == 0 ? "2" : "1", 5, 5);
  }
  const JobCheck check = job.check(folder);
  EXPECT_FALSE(check.all_run);
  ASSERT_NE(check.find(CheckRule::kNeverRuns), nullptr);
  EXPECT_EQ(check.find(CheckRule::kNeverRuns)->count, 2U);
}

TEST(AstraSimCheck, WhatEndsInOneInstantIsHandledInTheOrderInWhichItBegan) {
  TemporaryFolder folder;
  GoodJob job;
  for (EtFile& file : job.ranks) {
    file.nodes.clear();
    file.host(1, 0, 2);
    file.host(2, 2, 3, {1});
    file.device(3, 0, 5);  // ends with 2, and began before it
    file.host(4, 5, 1, {3});
    file.host(5, 6, 10, {2});
    file.device(6, 6, 6, {4});
  }
  // Host: 1 (0-2), 2 (2-5), 4 (5-6), 5 (6-16). Device: 3 (0-5), 6 (6-12).
  EXPECT_EQ(job.check(folder).makespan_ns, 16'000);
}

TEST(AstraSimCheck, ReadyNodesOfOneSlotRunOneAtATimeByAscendingId) {
  TemporaryFolder folder;
  GoodJob job;
  for (EtFile& file : job.ranks) {
    file.nodes.clear();
    // Two threads' ops that nothing orders take 7 us one after the other; a kernel runs beside.
    file.host(2, 0, 4);
    file.host(1, 0, 3);
    file.device(3, 0, 5);
    file.device(4, 3, 6, {1});
  }
  // Host: 1 (0-3), 2 (3-7). Device: 3 (0-5), 4 (5-11).
  EXPECT_EQ(job.check(folder).makespan_ns, 11'000);
}

/// A switch of so many NPUs, links of one byte a ns that take 100 ns, memory that takes no time,
/// one dataset split.
JobNetwork small_network(std::int64_t npus = 2) {
  JobNetwork network;
  network.network.dimensions = {{Topology::kSwitch, npus, 1e9 / 0x1p30, 100}};
  network.system.dataset_splits = 1;
  network.system.memory_gb_per_s = 1e6;
  network.system.all_reduce = {Implementation::kRing};
  return network;
}

TEST(AstraSimCheck, ASecondRunTakesTheTimesOfTheNetworkForCommunication) {
  TemporaryFolder folder;
  CheckOptions options;
  options.network = small_network();
  const JobCheck check = GoodJob().check(folder, "job", options);
  EXPECT_EQ(check.network_unknown, "");
  EXPECT_EQ(check.makespan_ns, 27'000);
  // 3 us + 10 us + all-reduce of 2 x 2048 bytes: 2 (200 + 2048) + 3 x 10 + message 200 + 64 + 1 us.
  EXPECT_EQ(check.network_makespan_ns, 13'000 + 4'526 + 264 + 1'000);
}

/// Four ranks that each use a type among two in two groups: {0, 1}, {2, 3} and {0, 2}, {1, 3}.
JobCheck check_of_two_groups(std::int64_t type, const std::optional<JobNetwork>& network) {
  TemporaryFolder folder;
  CheckOptions options;
  options.network = network;
  for (int rank = 0; rank < 4; ++rank) {
    EtFile file(rank);
    file.collective(1, type, 4096, rank < 2 ? "1" : "2", 0, 8);
    file.collective(2, type, 4096, rank % 2 == 0 ? "3" : "4", 8, 8, {1});
    options.files.push_back(folder.write("job." + std::to_string(rank) + ".et", file.bytes()));
  }
  options.comm_groups =
      folder.write("groups.json", R"({"1": [0, 1], "2": [2, 3], "3": [0, 2], "4": [1, 3]})");
  return check_job(options);
}

TEST(AstraSimCheck, ATypeInTwoGroupsNeedsTwoImplementations) {
  JobNetwork network = small_network(4);
  const JobCheck plain = check_of_two_groups(ALL_REDUCE, network);
  ASSERT_NE(plain.find(CheckRule::kCollectiveFreedTwice), nullptr);
  EXPECT_EQ(plain.find(CheckRule::kCollectiveFreedTwice)->first.front(),
            "rank 0 uses ALL_REDUCE in groups 1 and 3");
  EXPECT_FALSE(plain.all_run);
  network.network.dimensions.assign(2, network.network.dimensions.front());
  network.network.dimensions[0].npus = network.network.dimensions[1].npus = 2;
  network.system.all_reduce = {Implementation::kRing, Implementation::kRing};
  EXPECT_EQ(check_of_two_groups(ALL_REDUCE, network).find(CheckRule::kCollectiveFreedTwice),
            nullptr);
}

TEST(AstraSimCheck, WithoutNetworkFilesItSaysWhatATypeInTwoGroupsNeeds) {
  const JobCheck check = check_of_two_groups(ALL_REDUCE, std::nullopt);
  EXPECT_NE(check.find(CheckRule::kCollectiveMaybeFreedTwice), nullptr);
  EXPECT_TRUE(check.all_run);
}

TEST(AstraSimCheck, AllToAllInTwoGroupsIsAWarning) {
  JobNetwork network = small_network(4);
  network.system.all_to_all = {Implementation::kDirect1};
  const JobCheck check = check_of_two_groups(ALL_TO_ALL, network);
  ASSERT_NE(check.find(CheckRule::kAllToAllInTwoGroups), nullptr);
  EXPECT_EQ(severity_of(CheckRule::kAllToAllInTwoGroups), CheckSeverity::kWarning);
  EXPECT_EQ(check.find(CheckRule::kCollectiveFreedTwice), nullptr);
}

TEST(AstraSimCheck, FindsWhatTheNetworkAndSystemFilesBreak) {
  using enum CheckRule;
  const auto finds = [](CheckRule rule, const std::function<void(JobNetwork&)>& break_it) {
    TemporaryFolder folder;
    CheckOptions options;
    options.network = small_network(3);  // the group is a part
    EXPECT_EQ(GoodJob().check(folder, "job", options).find(rule), nullptr) << to_string(rule);
    break_it(*options.network);
    EXPECT_NE(GoodJob().check(folder, "job", options).find(rule), nullptr) << to_string(rule);
  };
  finds(kTreeInAPart, [](JobNetwork& network) {
    network.system.all_reduce = {Implementation::kDoubleBinaryTree};
  });
  finds(kImplementationsRefused,
        [](JobNetwork& network) { network.system.all_reduce.push_back(Implementation::kRing); });
  finds(kDimensionOfOne, [](JobNetwork& network) {
    network.network.dimensions.push_back({Topology::kSwitch, 1});
  });
  finds(kNpusMissing, [](JobNetwork& network) {
    network.network.dimensions.assign(1, {Topology::kSwitch, 1});
  });
  finds(kDimensionsRefused, [](JobNetwork& network) {
    network.network.backend = NetworkBackend::kAware;
    network.network.dimensions.push_back({Topology::kSwitch, 2});
  });
  finds(kEndpointDelayZero, [](JobNetwork& network) { network.system.endpoint_delay_ns = 0; });
  finds(kMemoryBandwidthZero, [](JobNetwork& network) { network.system.memory_gb_per_s = 0; });
  finds(kImplementationUnknown,
        [](JobNetwork& network) { network.unknown = {"all-to-all-implementation: rnig"}; });
  finds(kSettingMissing, [](JobNetwork& network) { network.missing = {"endpoint-delay"}; });
  finds(kSettingMissing,
        [](JobNetwork& network) { network.missing = {"all-reduce-implementation"}; });
}

TEST(AstraSimCheck, AnImplementationIsMissingOnlyWhereItsCollectivesAreIssued) {
  TemporaryFolder folder;
  CheckOptions options;
  options.network = small_network();
  options.network->missing = {"all-to-all-implementation"};
  EXPECT_EQ(GoodJob().check(folder, "job", options).find(CheckRule::kSettingMissing), nullptr);
}

TEST(AstraSimCheck, EachNpuOfTheNetworkNeedsAGraph) {
  TemporaryFolder folder;
  CheckOptions options;
  options.network = small_network(2);
  EXPECT_EQ(GoodJob().check(folder, "job", options).find(CheckRule::kRankMissing), nullptr);
  options.network = small_network(4);
  const JobCheck check = GoodJob().check(folder, "job", options);
  ASSERT_NE(check.find(CheckRule::kRankMissing), nullptr);
  EXPECT_EQ(check.find(CheckRule::kRankMissing)->first.front(), "rank 2: the network has 4 NPUs");
}

TEST(AstraSimCheck, ATreeAmongAllNpusBreaksNoRule) {
  TemporaryFolder folder;
  CheckOptions options;
  options.network = small_network();
  options.network->system.all_reduce = {Implementation::kDoubleBinaryTree};
  EXPECT_EQ(GoodJob().check(folder, "job", options).find(CheckRule::kTreeInAPart), nullptr);
}

TEST(AstraSimCheck, MemoryNodesNeedARemoteMemory) {
  TemporaryFolder folder;
  GoodJob job;
  job.node(0, 2).set_type(MEM_LOAD_NODE);
  CheckOptions options;
  EXPECT_EQ(job.check(folder, "job", options).find(CheckRule::kRemoteMemoryMissing), nullptr);
  options.has_remote_memory = true;
  EXPECT_EQ(job.check(folder, "job", options).find(CheckRule::kRemoteMemoryMissing), nullptr);
  options.has_remote_memory = false;
  const JobCheck check = job.check(folder, "job", options);
  ASSERT_NE(check.find(CheckRule::kRemoteMemoryMissing), nullptr);
  EXPECT_EQ(check.find(CheckRule::kRemoteMemoryMissing)->count, 1U);
}

TEST(AstraSimCheck, ALocalMemoryThatIsTrackedNeedsInputsOfAllNodes) {
  TemporaryFolder folder;
  GoodJob job;
  for (EtFile& file : job.ranks)
    for (Node& node : file.nodes) node.mutable_inputs()->set_values("[]");
  CheckOptions options;
  options.tracks_local_memory = true;
  EXPECT_EQ(job.check(folder, "job", options).find(CheckRule::kLocalMemoryTracked), nullptr);
  job.node(1, 2).clear_inputs();
  ASSERT_NE(job.check(folder, "job", options).find(CheckRule::kLocalMemoryTracked), nullptr);
}

TEST(AstraSimCheck, ABroadcastKeepsItsMeasuredTimeOnTheNetwork) {
  TemporaryFolder folder;
  GoodJob job;
  for (int rank = 0; rank < 2; ++rank) job.attribute(rank, 3, "comm_type").set_int64_val(BROADCAST);
  CheckOptions options;
  options.network = small_network();
  EXPECT_EQ(job.check(folder, "job", options).network_makespan_ns, 13'000 + 8'000 + 264 + 1'000);
}

TEST(AstraSimCheck, SaysWhyTheTimeOnTheNetworkIsUnknown) {
  TemporaryFolder folder;
  const auto reason = [&](const GoodJob& job, const JobNetwork& network) {
    CheckOptions options;
    options.network = network;
    const JobCheck check = job.check(folder, "job", options);
    EXPECT_EQ(check.network_makespan_ns, std::nullopt);
    return check.network_unknown;
  };
  EXPECT_EQ(reason({}, small_network(3)), "it has 3 NPUs, and the job 2 ranks");
  EXPECT_EQ(reason({}, small_network(100'000)), "it has 100000 NPUs, and the job 2 ranks");
  JobNetwork network = small_network();
  network.system.all_reduce = {Implementation::kUnmeasured};
  EXPECT_EQ(reason({}, network), "ALL_REDUCE of 4096 bytes among group 1 was not measured");
  network.system.all_reduce.clear();
  EXPECT_EQ(reason({}, network), "the system file has no all-reduce-implementation");
  GoodJob loads;
  loads.node(0, 2).set_type(MEM_LOAD_NODE);
  EXPECT_EQ(reason(loads, small_network()), "memory nodes take what the memory file says");
  network = small_network();
  network.unmeasured = "the system file's replay-only was not measured";
  EXPECT_EQ(reason({}, network), network.unmeasured);
  network = small_network();
  network.network.dimensions[0].latency_ns = 2e17;
  EXPECT_EQ(reason({}, network), "communication takes more than 30 years");
  GoodJob stuck;
  stuck.node(1, 3).set_type(COMP_NODE);
  EXPECT_EQ(reason(stuck, small_network()), "not all nodes run");
  CheckOptions none;
  EXPECT_EQ(GoodJob().check(folder, "job", none).network_unknown, "");
}

TEST(AstraSimCheck, AGroupFileThatIsNoneIsAnErrorThatNamesItAndSaysWhatItIs) {
  struct Row {
    const char *text, *problem;
  };
  TemporaryFolder folder;
  GoodJob job;
  for (const Row row :
       {Row{"", "is empty"}, Row{"[0, 1]", "is no JSON object: it begins with '[', not '{'"},
        Row{"{\"1\": [0, 1}", "is no valid JSON (Expected , or ] after array value.)"},
        Row{"{\"1\": [0, 1],\n \"2\" [2]}",
            "is no valid JSON (Expected : between key:value pair.)"},
        Row{"{\"1\": nan}", "is no valid JSON (Unexpected token.)"},
        Row{"{\"1\": [0, \"1\"]}", "the ranks of group \"1\" are no whole numbers"},
        Row{"{\"1\": 0}", "the ranks of group \"1\" are no whole numbers"},
        Row{"{\"1\": [-1]}", "the ranks of group \"1\" are no whole numbers"}}) {
    job.groups = row.text;
    const Error error = error_of([&] { job.check(folder); });
    EXPECT_NE(error.where().find("groups.json"), std::string::npos) << error.what();
    EXPECT_EQ(error.problem(), row.problem);
    EXPECT_FALSE(error.remedy().empty());
  }
}

}  // namespace
}  // namespace nadi::astra_sim
