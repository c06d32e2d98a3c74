// Schedules of small jobs, read again by a reader that resolves every label and pairs messages.
#include "nadi/sim_bridge/goal/write_goal.h"

#include <gtest/gtest.h>

#include "nadi/base/error.h"
#include "nadi/sim_bridge/job/make_job.h"
#include "tests/unit/astra_sim/et_file.h"
#include "tests/unit/goal/goal_reader.h"

namespace nadi::goal {
namespace {

using namespace ChakraProtoMsg;

std::string schedule_of(const std::vector<EtFile>& files, const GoalOptions& options = {}) {
  TemporaryFolder folder;
  std::vector<ChakraGraph> graphs;
  for (const EtFile& file : files) graphs.push_back(file.load(folder));
  Diagnostics diagnostics;
  Job job = make_job(std::move(graphs), MissingRanks::kRefuse, diagnostics);
  std::string text;
  write_goal(
      job, options, [&](std::string_view piece) { text += piece; }, diagnostics);
  return text;
}

std::vector<EtFile> two_ranks() {
  std::vector<EtFile> files;
  for (int rank = 0; rank < 2; ++rank) {
    EtFile& file = files.emplace_back(rank).world(2, "{\"dp\":{\"ranks\":[0,1]}}");
    file.host(1, 0, 3);
    file.device(2, 3, 5, {1});
    file.message(3, rank == 0 ? COMM_SEND_NODE : COMM_RECV_NODE, 0, 1, 7, 8192, 8, {2});
  }
  return files;
}

TEST(Goal, ComputationAndMessagesAreLinesWithTheCpuOfTheirLane) {
  EXPECT_EQ(schedule_of(two_ranks()),
            "num_ranks 2\n"
            "\nrank 0 {\n"
            "l1: calc 3000 cpu 0\n"
            "l2: calc 5000 cpu 1\nl2 requires l1\n"
            "l3: send 8192b to 1 tag 0 cpu 1\nl3 requires l2\n"
            "}\n"
            "\nrank 1 {\n"
            "l1: calc 3000 cpu 0\n"
            "l2: calc 5000 cpu 1\nl2 requires l1\n"
            "l3: recv 8192b from 0 tag 0 cpu 1\nl3 requires l2\n"
            "}\n");
}

TEST(Goal, AScheduleOfMoreStepsThanAnyDiskHoldsIsRefused) {
  TemporaryFolder folder;
  EtFile file(0);
  file.world(6000, R"({"dp":{"ranks":[]}})").collective(1, ALL_REDUCE, 1 << 20, "dp", 3, 5, {});
  std::vector<ChakraGraph> graphs;
  graphs.push_back(file.load(folder));
  Diagnostics diagnostics;
  Job job = make_job(std::move(graphs), MissingRanks::kCopy, diagnostics);
  try {
    write_goal(
        job, {}, [](std::string_view) { FAIL() << "wrote"; }, diagnostics);
    FAIL() << "took it";
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "its collectives would become a schedule of over 67 million steps");
  }
}

TEST(Goal, ACollectiveIsLoweredBetweenTwoEmptyCalcs) {
  std::vector<EtFile> files = two_ranks();
  for (EtFile& file : files) {
    file.nodes.resize(1);
    file.collective(2, ALL_REDUCE, 100, "dp", 3, 5, {1});
  }
  GoalOptions options;
  options.collectives = Algorithm::kDoubling;
  const std::string text = schedule_of(files, options);
  EXPECT_EQ(text.substr(0, text.find("\nrank 1")),
            "num_ranks 2\n"
            "\nrank 0 {\n"
            "l1: calc 3000 cpu 0\n"
            "l2_0: calc 0 cpu 1\nl2_0 requires l1\n"
            "l2_1s: send 100b to 1 tag 0 cpu 1\nl2_1s requires l2_0\n"
            "l2_1r: recv 100b from 1 tag 0 cpu 1\nl2_1r requires l2_0\n"
            "l2: calc 0 cpu 1\nl2 requires l2_1r\nl2 requires l2_1s\n"
            "}\n");
}

TEST(Goal, EveryLabelResolvesAndEverySendHasItsReceive) {
  for (const Algorithm algorithm : {Algorithm::kRing, Algorithm::kDoubling, Algorithm::kAuto})
    for (int type = ALL_REDUCE; type <= BARRIER; ++type) {
      std::vector<EtFile> files;
      for (int rank = 0; rank < 5; ++rank) {
        EtFile& file = files.emplace_back(rank).world(5, "{\"dp\":{\"ranks\":[0,1,2,3,4]}}");
        file.host(1, 0, 3);
        file.collective(2, type, 100'001, "dp", 3, 5, {1});
        file.collective(3, ALL_GATHER, 7, "dp", 8, 5, {2});
        file.host(4, 13, 1, {3});
      }
      GoalOptions options;
      options.collectives = algorithm;
      const GoalSchedule schedule = read_goal(schedule_of(files, options));
      for (const std::string& problem : schedule.problems) ADD_FAILURE() << problem;
      EXPECT_EQ(schedule.makespan_ns, 4000);
    }
}

TEST(Goal, TheReaderSeesWhatIsWrong) {
  EXPECT_EQ(read_goal("num_ranks 1\nrank 0 {\na: calc 5\na requires b\n}\n").problems.size(), 1U);
  EXPECT_EQ(
      read_goal("num_ranks 2\nrank 0 {\na: send 8b to 1 tag 0\n}\nrank 1 {\n}\n").problems.size(),
      1U);
  EXPECT_EQ(
      read_goal("num_ranks 1\nrank 0 {\na: calc 5\nb: calc 5\na requires b\nb requires a\n}\n")
          .problems.size(),
      1U);
  EXPECT_EQ(read_goal("num_ranks 1\nrank 0 {\na: calc 5\na: calc 6\n}\n").problems.size(), 1U);
}

}  // namespace
}  // namespace nadi::goal
