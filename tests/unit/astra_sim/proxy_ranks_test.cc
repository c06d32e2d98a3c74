// What replayed communication makes of small jobs: each takes its measured time, and no other.
#include "nadi/sim_bridge/astra_sim/proxy_ranks.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "nadi/sim_bridge/astra_sim/check.h"
#include "nadi/sim_bridge/astra_sim/rewrite.h"
#include "nadi/sim_bridge/astra_sim/write_files.h"
#include "nadi/sim_bridge/job/make_job.h"
#include "tests/error_of.h"
#include "tests/et_file.h"

namespace nadi::astra_sim {
namespace {

using namespace ChakraProtoMsg;

constexpr const char* kTwo = "{\"dp\":{\"desc\":\"\",\"ranks\":[0,1],\"size\":2}}";

struct ReplayedJob {
  std::vector<ProxyRank> proxies;
  std::vector<std::string> files;  // as written, by rank
  Diagnostics diagnostics;
  JobCheck check;
};

ReplayedJob replay_files(const std::vector<EtFile>& files, const RewriteOptions& given = {},
                         std::uint64_t memory = 0) {
  const TemporaryFolder folder;
  std::vector<Graph> graphs;
  for (const EtFile& file : files) graphs.push_back(file.load(folder));
  ReplayedJob result;
  Job job = make_job(std::move(graphs), MissingRanks::kRefuse, result.diagnostics);
  RewriteOptions options = given;
  options.communication = Communication::kReplay;
  const auto append_to = [&](std::size_t rank) {
    result.files.resize(std::max(result.files.size(), rank + 1));
    return [&result, rank](std::string_view piece) { result.files[rank] += piece; };
  };
  const auto take = [&](std::size_t rank, const Graph& graph, const JobRank& whole) {
    write_rank(job, rank, graph, whole, append_to(rank));
  };
  result.proxies = rewrite(job, options, result.diagnostics, take).proxies;
  for (std::size_t i = 0; i < result.proxies.size(); ++i) {
    const std::size_t rank = job.ranks.size() + i;
    write_proxy_rank(job, rank, result.proxies[i], options.device.memory_gb_per_s, append_to(rank));
  }
  CheckOptions check;
  check.memory = memory;
  for (std::size_t rank = 0; rank < result.files.size(); ++rank)
    check.files.push_back(folder.write("job." + std::to_string(rank) + ".et", result.files[rank]));
  check.network = replay_network(std::ssize(result.files));
  result.check = check_job(check);
  return result;
}

void expect_clean(const ReplayedJob& result) {
  EXPECT_TRUE(result.check.all_run) << result.check.unproven;
  for (const CheckFinding& finding : result.check.findings)
    ADD_FAILURE() << to_string(finding.rule) << ": " << finding.first.front();
}

/// Two ranks whose collective starts after so many us, for both ends at 108 us, before 2 us of
/// work.
std::vector<EtFile> late_second(std::int64_t type, std::int64_t bytes) {
  std::vector<EtFile> files;
  for (int rank = 0; rank < 2; ++rank) {
    EtFile& file = files.emplace_back(rank).world(2, kTwo);
    const Ns start = rank == 0 ? 3 : 100;
    file.host(1, 0, start);
    file.collective(2, type, bytes, "dp", start, 108 - start, {1});
    file.device(3, 108, 2, {2});
  }
  return files;
}

TEST(ProxyRanks, ACollectiveTakesItsShortestMeasuredTimeWhateverItsBytesAre) {
  for (const std::int64_t type : {ALL_REDUCE, ALL_TO_ALL, BARRIER, REDUCE_SCATTER_BLOCK, BROADCAST})
    for (const std::int64_t bytes : {0, 1, 1 << 30}) {
      const ReplayedJob result = replay_files(late_second(type, bytes));
      expect_clean(result);
      EXPECT_NEAR(static_cast<double>(result.check.makespan_ns), 110'000, 1'000);
      EXPECT_EQ(result.check.makespan_ns, result.check.network_makespan_ns);
      ASSERT_EQ(result.proxies.size(), 1U);
      EXPECT_EQ(result.proxies[0].transfer_ns, std::vector<Ns>{8'000});
      EXPECT_EQ(result.diagnostics.count(Finding::kCommunicationReplayed), 1U);
    }
}

TEST(ProxyRanks, RemaindersOfMicrosecondsAddUpToTheSumOfTheMeasuredTimes) {
  std::vector<EtFile> files;
  constexpr int kCollectives = 200;
  for (int rank = 0; rank < 2; ++rank) {
    EtFile& file = files.emplace_back(rank).world(2, kTwo);
    file.device(1, 0, 3);
    for (std::uint64_t i = 0; i < kCollectives; ++i) {
      Node& node = file.collective(2 + i, ALL_REDUCE, 64, "dp", 0, 0, {1 + i});
      EtFile::attribute(node, "start_ns").set_int64_val(static_cast<Ns>(3'000 + 1'700 * i));
      EtFile::attribute(node, "duration_ns").set_int64_val(1'700);
    }
  }
  const ReplayedJob result = replay_files(files);
  expect_clean(result);
  EXPECT_NEAR(static_cast<double>(result.check.makespan_ns), 3'000 + kCollectives * 1'700, 1'010);
}

TEST(ProxyRanks, ASendIsHeldUntilTheReceiverIsThereAndBothTakeTheShorterTime) {
  std::vector<EtFile> files{EtFile(0), EtFile(1)};
  files[0].host(1, 0, 2);
  Node& send = files[0].message(2, NodeType::kSend, 0, 1, 0, 64, 2, {1});
  EtFile::attribute(send, "duration_ns").set_int64_val(53'000);
  files[0].host(3, 60, 10, {2});
  files[1].host(1, 0, 50);
  files[1].message(2, NodeType::kReceive, 0, 1, 0, 64, 50, {1});  // 5 us
  files[1].host(3, 55, 10, {2});
  const ReplayedJob result = replay_files(files);
  expect_clean(result);
  ASSERT_EQ(result.proxies.size(), 1U);
  EXPECT_EQ(result.proxies[0].transfer_ns, std::vector<Ns>{5'000});
  // 50, 5 and the send's 10 us; rank 0 idled from 55 to 60
  EXPECT_NEAR(static_cast<double>(result.check.makespan_ns), 70'000, 1'000);
}

TEST(ProxyRanks, ASenderThatHadLeftBeforeTheReceiverCameDoesNotWaitForIt) {
  std::vector<EtFile> files{EtFile(0), EtFile(1)};
  files[0].message(1, NodeType::kSend, 0, 1, 0, 64, 0);  // to 5 us
  files[0].device(2, 5, 60, {1});
  files[1].host(1, 0, 50);
  files[1].message(2, NodeType::kReceive, 0, 1, 0, 64, 50, {1});
  files[1].device(3, 55, 1, {2});
  const ReplayedJob result = replay_files(files);
  expect_clean(result);
  ASSERT_EQ(result.proxies[0].early.size(), 1U);
  EXPECT_EQ(result.proxies[0].early[0].member, 0U);
  EXPECT_NEAR(static_cast<double>(result.check.makespan_ns), 65'000, 1'000);
}

TEST(ProxyRanks, AReceiverAlwaysWaitsForTheSender) {
  std::vector<EtFile> files{EtFile(0), EtFile(1)};
  files[0].host(1, 0, 50);
  files[0].message(2, NodeType::kSend, 0, 1, 0, 64, 50, {1});
  files[1].message(1, NodeType::kReceive, 0, 1, 0, 64, 0);  // a damaged time: to 5 us
  files[1].device(2, 55, 1, {1});
  const ReplayedJob result = replay_files(files);
  expect_clean(result);
  EXPECT_TRUE(result.proxies[0].early.empty());
  EXPECT_GE(result.check.makespan_ns, 55'000);
}

/// Both send to each other in one kernel of 14 us, which the first of its nodes has.
std::vector<EtFile> exchange(int messages) {
  std::vector<EtFile> files;
  for (int rank = 0; rank < 2; ++rank) {
    EtFile& file = files.emplace_back(rank);
    file.device(1, 0, 20);
    Ids kernel;
    for (int i = 0; i < messages; ++i)
      for (const NodeType type : {NodeType::kSend, NodeType::kReceive}) {
        const bool is_send = type == NodeType::kSend;
        kernel.push_back(2 + kernel.size());
        Node& node = file.message(kernel.back(), type, is_send ? rank : 1 - rank,
                                  is_send ? 1 - rank : rank, i, 64, 20, {1});
        EtFile::attribute(node, "duration_ns").set_int64_val(kernel.size() == 1 ? 14'000 : 0);
      }
    file.device(2 + kernel.size(), 34, 6, kernel);
  }
  return files;
}

TEST(ProxyRanks, AKernelThatCarriesSeveralMessagesTakesItsTimeOnce) {
  for (const int messages : {1, 3}) {
    const ReplayedJob result = replay_files(exchange(messages));
    expect_clean(result);
    ASSERT_EQ(result.proxies.size(), 2U);  // one each way
    for (const ProxyRank& proxy : result.proxies) {
      ASSERT_EQ(proxy.transfer_ns.size(), static_cast<std::size_t>(messages));
      EXPECT_EQ(proxy.transfer_ns[0], 14'000);
    }
    EXPECT_NEAR(static_cast<double>(result.check.makespan_ns), 40'000, 1'000);
  }
}

TEST(ProxyRanks, StreamsThatNothingOrdersCommunicateSideBySide) {
  std::vector<EtFile> files;
  for (int rank = 0; rank < 2; ++rank) {
    EtFile& file = files.emplace_back(rank).world(
        2, "{\"a\":{\"desc\":\"\",\"ranks\":[0,1]},\"b\":{\"desc\":\"\",\"ranks\":[0,1]}}");
    file.device(1, 0, 5);
    file.collective(2, ALL_REDUCE, 64, "a", 5, 40, {1});
    Node& beside = file.collective(3, ALL_GATHER, 64, "b", 5, 40, {1});
    EtFile::attribute(beside, "stream").set_int64_val(8);
    file.device(4, 45, 5, {2, 3});
  }
  const ReplayedJob result = replay_files(files);
  expect_clean(result);
  EXPECT_EQ(result.proxies.size(), 2U);
  EXPECT_NEAR(static_cast<double>(result.check.makespan_ns), 50'000, 1'000);
}

/// A stream of 40 us of kernels beside one of 60 us, from 5 us on; 5 us follow both.
std::vector<EtFile> two_streams() {
  EtFile file;
  file.host(1, 0, 5);
  Ids last;
  for (const int stream : {7, 9}) {
    const Ns each = stream == 7 ? 30 : 20;
    for (std::uint64_t i = 0; i < 2; ++i) {
      const std::uint64_t id = static_cast<std::uint64_t>(stream) * 10 + i;
      Node& node = file.device(id, 5 + static_cast<Ns>(i) * each, each, {i == 0 ? 1 : id - 1});
      EtFile::attribute(node, "stream").set_int64_val(stream);
      if (i == 1) last.push_back(id);
    }
  }
  file.device(99, 65, 5, last);
  EtFile other(1);
  other.host(1, 0, 1);
  return {file, other};
}

TEST(ProxyRanks, AStreamThatRunsBesideABusierOneHasARankOfItsOwn) {
  const ReplayedJob result = replay_files(two_streams());
  expect_clean(result);
  EXPECT_TRUE(result.proxies.empty());
  ASSERT_EQ(result.files.size(), 3U);
  EXPECT_NEAR(static_cast<double>(result.check.makespan_ns), 70'000, 1'000);
  const TemporaryFolder folder;
  const Graph stream = load_chakra_graph(folder.write("stream.et", result.files[2]));
  std::vector<Ns> kernels;
  for (std::uint32_t row = 0; row < stream.size(); ++row)
    if (stream.type[row] == NodeType::kCompute) {
      EXPECT_EQ(stream.name_of(row), "kernel");
      kernels.push_back(stream.duration_ns[row]);
    }
  EXPECT_EQ(kernels, (std::vector<Ns>{19'998, 19'998}));  // and 2 ns of messages
}

TEST(ProxyRanks, StreamsThatTakeTurnsStayTogether) {
  std::vector<EtFile> files = two_streams();
  for (auto& node : files[0].nodes)  // the second stream begins when the first has ended
    if (node.id() / 10 == 9) {
      auto& start = EtFile::attribute(node, "start_ns");
      start.set_int64_val(start.int64_val() + 60'000);
    }
  const ReplayedJob result = replay_files(files);
  expect_clean(result);
  ASSERT_EQ(result.files.size(), 3U);
  const TemporaryFolder folder;
  const Graph side = load_chakra_graph(folder.write("side.et", result.files[2]));
  std::vector<std::string> work;
  for (std::uint32_t row = 0; row < side.size(); ++row)
    if (side.type[row] == NodeType::kCompute) work.emplace_back(side.name_of(row));
  EXPECT_EQ(work, std::vector<std::string>{"wait"});  // for the time between the streams alone
}

TEST(ProxyRanks, RanksThatWouldWaitForEachOtherInACircleAreAnError) {
  std::vector<EtFile> files;
  for (int rank = 0; rank < 2; ++rank) {  // each sends, and only then receives: both are held
    EtFile& file = files.emplace_back(rank);
    file.message(1, NodeType::kSend, rank, 1 - rank, 0, 64, 0);
    file.message(2, NodeType::kReceive, 1 - rank, rank, 0, 64, 4, {1});
  }
  const Error error = error_of([&] { replay_files(files); });
  EXPECT_EQ(error.code(), ErrorCode::kInput);
  EXPECT_NE(error.problem().find("in a cycle"), std::string::npos) << error.what();
}

TEST(ProxyRanks, WhatNobodyElseHasGoesAway) {
  std::vector<EtFile> files{EtFile(0), EtFile(1)};
  for (EtFile& file : files)
    file.world(2, "{\"self\":{\"desc\":\"\",\"ranks\":[0],\"size\":1}}").host(1, 0, 2);
  files[0].collective(2, ALL_REDUCE, 64, "self", 2, 5, {1});
  files[0].message(3, NodeType::kSend, 0, 1, 0, 64, 8, {2});
  RewriteOptions options;
  options.drops_lonely_messages = true;
  const ReplayedJob result = replay_files(files, options);
  expect_clean(result);
  EXPECT_TRUE(result.proxies.empty());
  EXPECT_EQ(result.files.size(), 2U);
  EXPECT_THROW(replay_files(files), Error);
}

TEST(ProxyRanks, WithoutMemoryForARunAllAreProvenToRun) {
  for (const std::vector<EtFile>& files : {late_second(ALL_REDUCE, 64), exchange(3)}) {
    const ReplayedJob result = replay_files(files, {}, 100);
    EXPECT_FALSE(result.check.is_run);
    EXPECT_TRUE(result.check.all_run) << result.check.unproven;
  }
}

TEST(ProxyRanks, BeyondWhatIsSimulatedAreAnErrorThatCountsThem) {
  constexpr int kRanks = 363;  // 363 ranks, 65,703 pairs
  std::vector<EtFile> files;
  for (int rank = 0; rank < kRanks; ++rank) {
    EtFile& file = files.emplace_back(rank);
    std::uint64_t id = 0;
    for (int other = 0; other < kRanks; ++other)
      if (other != rank)
        file.message(++id, rank < other ? NodeType::kSend : NodeType::kReceive,
                     std::min(rank, other), std::max(rank, other), 0, 64, 0);
  }
  const Error error = error_of([&] { replay_files(files); });
  EXPECT_NE(error.problem().find("the job has 363 ranks, and needs 65703 more"), std::string::npos)
      << error.what();
}

}  // namespace
}  // namespace nadi::astra_sim
