// Schedules of small jobs, read again by a reader that resolves every label and pairs messages.
#include "nadi/sim_bridge/goal/write_goal.h"

#include <gtest/gtest.h>

#include "nadi/sim_bridge/job/make_job.h"
#include "tests/error_of.h"
#include "tests/et_file.h"
#include "tests/unit/goal/goal_reader.h"
#include "tests/unit/goal/goal_run.h"

namespace nadi::goal {
namespace {

using namespace ChakraProtoMsg;

std::string schedule_of(const std::vector<EtFile>& files, const GoalOptions& options = {}) {
  TemporaryFolder folder;
  std::vector<Graph> graphs;
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
    file.message(3, rank == 0 ? NodeType::kSend : NodeType::kReceive, 0, 1, 7, 8192, 8, {2});
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

Node& as_delay(Node& node) {
  node.set_name("delay");
  AttributeProto& is_delay = *node.add_attr();
  is_delay.set_name("is_delay");
  is_delay.set_bool_val(true);
  return node;
}

TEST(Goal, ADelayHoldsNoLane) {
  EtFile file;
  file.host(1, 0, 3);
  as_delay(file.device(2, 3, 20, {1}));  // before the second kernel
  file.device(3, 3, 10, {1});
  file.device(4, 23, 5, {2, 3});
  const std::string text = schedule_of({file});
  EXPECT_EQ(run_goal(read_goal(text)).makespan_ns, 28'000);
  EXPECT_NE(text.find("l3: calc 10000 cpu 1\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("calc 20000 cpu 1\n"), std::string::npos) << text;
}

TEST(Goal, ARowThatBeganBeforeTheOneItWaitsForEndedWaitsForItsHead) {
  EtFile file;
  file.device(1, 0, 10);
  file.device(2, 8, 10, {1});
  const std::string text = schedule_of({file});
  EXPECT_NE(text.find("l1_h: calc 8000 cpu 0\n"), std::string::npos) << text;
  EXPECT_NE(text.find("l2 requires l1_h\n"), std::string::npos) << text;
  EXPECT_EQ(run_goal(read_goal(text)).makespan_ns, 18'000);
}

TEST(Goal, ARankThatBeganLaterWaitsFirst) {
  std::vector<EtFile> files = two_ranks();
  EtFile::attribute(files[1].metadata, "base_time_ns").set_int64_val(5000);
  for (const Lanes lanes : {Lanes::kAll, Lanes::kOne})
    EXPECT_EQ(run_goal(read_goal(schedule_of(files, {.lanes = lanes}))).makespan_ns, 13'000);
}

TEST(Goal, MoreLanesThanTheBinaryFormHasCpusTakeTurns) {
  EtFile file;
  for (std::uint64_t id = 1; id <= 300; ++id) {
    Node& node = file.device(id, static_cast<Ns>(id), 1, {});
    EtFile::attribute(node, "stream").set_int64_val(static_cast<std::int64_t>(id));
  }
  const GoalSchedule schedule = read_goal(schedule_of({file}));
  EXPECT_TRUE(schedule.problems.empty());
  EXPECT_EQ(run_goal(schedule).stuck, 0U);
}

/// A host that launches an all-reduce, works on, and at last waits for it.
std::vector<EtFile> two_ranks_that_overlap() {
  std::vector<EtFile> files;
  for (int rank = 0; rank < 2; ++rank) {
    EtFile& file = files.emplace_back(rank).world(2, "{\"dp\":{\"ranks\":[0,1]}}");
    file.host(1, 0, 3);
    file.collective(2, ALL_REDUCE, 100, "dp", 3, 5, {1});
    file.host(3, 3, 10, {1});
    file.host(4, 13, 0, {2, 3});
    file.host(5, 13, 4, {4});
  }
  return files;
}

TEST(GoalOneLane, HasTheTimeThatPassesBetweenCommunicationsAsCalcs) {
  const std::string text = schedule_of(two_ranks_that_overlap(),
                                       {.lanes = Lanes::kOne, .collectives = Algorithm::kDoubling});
  EXPECT_EQ(text.substr(0, text.find("\nrank 1")),
            "num_ranks 2\n"
            "\nrank 0 {\n"
            "c1: calc 3000 cpu 0\n"
            "l3_0: calc 0 cpu 0\n"
            "l3_1s: send 100b to 1 tag 0 cpu 0\nl3_1s requires l3_0\n"
            "l3_1r: recv 100b from 1 tag 0 cpu 0\nl3_1r requires l3_0\n"
            "l3: calc 0 cpu 0\nl3 requires l3_1r\nl3 requires l3_1s\nl3_0 requires c1\n"
            "c2: calc 10000 cpu 0\nc2 requires c1\nc2 irequires l3_1s\n"
            "l4: calc 0 cpu 0\nl4 requires c2\nl4 requires l3\n"
            "c3: calc 4000 cpu 0\nc3 requires c2\nc3 requires l4\n"
            "}\n");
}

TEST(GoalOneLane, OfARankThatDoesNothingHasOneCalc) {
  EtFile file;
  file.host(1, 0, 0);
  EXPECT_EQ(schedule_of({file}, {.lanes = Lanes::kOne}),
            "num_ranks 1\n\nrank 0 {\nc1: calc 1 cpu 0\n}\n");
}

TEST(GoalOneLane, TakesItsTimeWhereEndsBetweenCpusAreIgnored) {
  const GoalRunOptions ignored{.between = Between::kIgnored};
  const auto makespan = [&](Lanes lanes) {
    return run_goal(read_goal(schedule_of(two_ranks_that_overlap(), {.lanes = lanes})), ignored)
        .makespan_ns;
  };
  EXPECT_EQ(makespan(Lanes::kOne), 17'000);
  std::vector<EtFile> files = two_ranks();
  EXPECT_EQ(run_goal(read_goal(schedule_of(files)), ignored).makespan_ns, 5000);  // 3 us are lost
  EXPECT_EQ(run_goal(read_goal(schedule_of(files, {.lanes = Lanes::kOne})), ignored).makespan_ns,
            8000);
}

TEST(Goal, TheCommandHasTheNetworkInTheUnitsOfLogGopsim) {
  EXPECT_EQ(command_line("out/step", 936, 400),
            "txt2bin -i out/step.goal -o out/step.bin && \\\n"
            "  LogGOPSim -f out/step.bin -L 936 -o 0 -g 0 -G 0.0025\n");
  EXPECT_NE(command_line("s", 0, 3).find("-L 0 -o 0 -g 0 -G 0.333333\n"), std::string::npos);
}

TEST(Goal, AScheduleOfMoreStepsThanAnyDiskHoldsIsRefused) {
  TemporaryFolder folder;
  EtFile file(0);
  file.world(6000, R"({"dp":{"ranks":[]}})").collective(1, ALL_REDUCE, 1 << 20, "dp", 3, 5, {});
  std::vector<Graph> graphs;
  graphs.push_back(file.load(folder));
  Diagnostics diagnostics;
  Job job = make_job(std::move(graphs), MissingRanks::kCopy, diagnostics);
  const Error error = error_of([&] {
    write_goal(
        job, {}, [](std::string_view) { FAIL() << "wrote"; }, diagnostics);
  });
  EXPECT_EQ(error.problem(), "its collectives would become a schedule of over 67 million steps");
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
            "l2_0: calc 0 cpu 1\n"
            "l2_1s: send 100b to 1 tag 0 cpu 1\nl2_1s requires l2_0\n"
            "l2_1r: recv 100b from 1 tag 0 cpu 1\nl2_1r requires l2_0\n"
            "l2: calc 0 cpu 1\nl2 requires l2_1r\nl2 requires l2_1s\nl2_0 requires l1\n"
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
      EXPECT_EQ(run_goal(schedule).makespan_ns, 4000);
    }
}

TEST(Goal, TheReaderSeesWhatIsWrong) {
  EXPECT_EQ(read_goal("num_ranks 1\nrank 0 {\na: calc 5\na requires b\n}\n").problems.size(), 1U);
  EXPECT_EQ(
      read_goal("num_ranks 2\nrank 0 {\na: send 8b to 1 tag 0\n}\nrank 1 {\n}\n").problems.size(),
      1U);
  EXPECT_EQ(run_goal(read_goal("num_ranks 1\nrank 0 {\na: calc 5\nb: calc 5\na requires b\n"
                               "b requires a\n}\n"))
                .stuck,
            2U);
  EXPECT_EQ(read_goal("num_ranks 1\nrank 0 {\na: calc 5\na: calc 6\n}\n").problems.size(), 1U);
}

}  // namespace
}  // namespace nadi::goal
