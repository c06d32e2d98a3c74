// Graphs of programs whose dependencies are known imply all of them, and no other.
#include <gtest/gtest.h>

#include <iostream>

#include "tests/invariants/vm_conversion.h"
#include "tests/vm/programs.h"
#include "tests/vm/truth.h"

namespace nadi {
namespace {

std::vector<std::string> all_programs() {
  std::vector<std::string> names = vm::program_names();
  for (int seed = 1; seed <= 100; ++seed) names.push_back("random:" + std::to_string(seed));
  return names;
}

Conversion convert_rank(const vm::Program& program, const vm::Execution& run, int rank,
                        const vm::WriteOptions& write, Delays delays) {
  GraphOptions options;
  options.delays = delays;
  return convert_program(program, run, rank, write, options);
}

vm::Comparison compare_rank(const vm::Program& program, const vm::Execution& run, int rank,
                            const vm::WriteOptions& write, const Conversion& conversion) {
  vm::CompareOptions compare;
  compare.origin_ns = write.origin_ns;
  return vm::compare(vm::make_truth(program, run, rank), plain_graph(conversion), compare);
}

class KnownTruth : public testing::TestWithParam<std::tuple<std::string, vm::SyncRows>> {};

TEST_P(KnownTruth, EveryTrueDependencyIsImpliedAndNoOther) {
  const auto& [name, sync] = GetParam();
  const vm::Program program = vm::make_program(name);
  const vm::Execution run = vm::execute(program);
  vm::WriteOptions write;
  write.sync = sync;
  for (int rank = 0; rank < static_cast<int>(program.ranks.size()); ++rank)
    for (Delays delays : {Delays::kNone, Delays::kHost, Delays::kAll}) {
      const Conversion conversion = convert_rank(program, run, rank, write, delays);
      const vm::Comparison result = compare_rank(program, run, rank, write, conversion);
      EXPECT_TRUE(result.is_exact()) << name << " rank " << rank << "\n" << result.text();
    }
}

std::string test_name(const testing::TestParamInfo<KnownTruth::ParamType>& info) {
  std::string name =
      std::get<0>(info.param) +
      (std::get<1>(info.param) == vm::SyncRows::kFull ? "_cuda_sync" : "_cuda_event");
  std::replace(name.begin(), name.end(), ':', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Programs, KnownTruth,
                         testing::Combine(testing::ValuesIn(all_programs()),
                                          testing::Values(vm::SyncRows::kFull,
                                                          vm::SyncRows::kEvents)),
                         test_name);

/// Recall and precision over programs whose traces tell less than all of their waits.
struct Score {
  vm::SyncRows sync = vm::SyncRows::kNone;
  vm::DeviceForm form = vm::DeviceForm::kKineto;
  bool has_wrong_threads = false;
  Ns late_return = 0;
  std::uint64_t late_returns_inferred = 0;
  std::map<std::string, vm::Tally> required, edges;

  void add(const std::string& name) {
    vm::WriteOptions write;
    write.sync = sync;
    write.form = form;
    write.has_wrong_threads = has_wrong_threads;
    vm::Program program = vm::make_program(name);
    program.late_return = late_return;
    const vm::Execution run = vm::execute(program);
    for (int rank = 0; rank < static_cast<int>(program.ranks.size()); ++rank) {
      const Conversion conversion = convert_rank(program, run, rank, write, Delays::kNone);
      const vm::Comparison result = compare_rank(program, run, rank, write, conversion);
      late_returns_inferred += conversion.diagnostics.count(Finding::kLateReturnsInferred);
      add(required, result.required);
      add(edges, result.edges);
    }
  }
  void print(const char* title) const {
    for (const auto& [kind, tally] : required)
      std::cout << title << ": recall of " << kind << ": " << tally.good << " of " << tally.total
                << "\n";
    for (const auto& [kind, tally] : edges)
      std::cout << title << ": precision of " << kind << ": " << tally.good << " of " << tally.total
                << "\n";
  }

 private:
  static void add(std::map<std::string, vm::Tally>& sums,
                  const std::map<std::string, vm::Tally>& more) {
    for (const auto& [kind, tally] : more) {
      sums[kind].total += tally.total;
      sums[kind].good += tally.good;
    }
  }
};

TEST(KnownTruthWithoutSyncRows, InferredWaitsOfTrainingProgramsAreTrue) {
  Score score;
  for (const std::string& name : vm::program_names()) score.add(name);
  score.print("training programs");
  EXPECT_GE(score.edges["event wait (inferred)"].share(), 0.98);
  EXPECT_GT(score.edges["graph order (inferred)"].total, 0U);
  EXPECT_EQ(score.edges["graph order (inferred)"].share(), 1.0);
  EXPECT_EQ(score.edges["synchronisation (inferred)"].share(), 1.0);
  EXPECT_GE(score.required["event wait"].share(), 0.8);
  // Calls that found all done and returned at once leave no sign of what they asked for.
  EXPECT_GE(score.required["synchronisation"].share(), 0.8);
}

TEST(KnownTruthWithoutRecords, WaitsThatNameTheirStreamHaveItsWorkSoFar) {
  Score training, random;
  training.sync = random.sync = vm::SyncRows::kStreams;
  for (const std::string& name : vm::program_names()) training.add(name);
  for (int seed = 1; seed <= 100; ++seed) random.add("random:" + std::to_string(seed));
  training.print("training programs");
  random.print("random programs");
  EXPECT_EQ(training.edges["event wait (inferred)"].share(), 1.0);
  // They wait for events recorded long ago.
  EXPECT_GE(random.edges["event wait (inferred)"].share(), 0.8);
  for (Score* score : {&training, &random}) {
    EXPECT_EQ(score->edges["event wait"].total, 0U);
    EXPECT_GE(score->required["event wait"].share(), 0.98);
  }
}

/// N19, N27: the new profiler's waits name their record but not its stream, and its calls may be on
/// wrong threads.
TEST(KnownTruthOfTheNewProfiler, WaitsAndThreadsOfTrainingProgramsAreTrue) {
  for (const bool has_wrong_threads : {false, true}) {
    Score score;
    score.form = vm::DeviceForm::kCuspy;
    score.sync = vm::SyncRows::kFull;
    score.has_wrong_threads = has_wrong_threads;
    for (const char* kind : {"data_parallel", "pipeline_tensor", "autograd", "sync_heavy"})
      score.add(kind + std::string(":1"));
    score.print(has_wrong_threads ? "wrong threads" : "new profiler");
    EXPECT_GT(score.edges["event wait (inferred)"].total, 0U);
    for (const char* evidence : {"event wait", "event wait (inferred)", "synchronisation",
                                 "synchronisation (inferred)", "launch", "nesting"})
      EXPECT_EQ(score.edges[evidence].share(), 1.0) << evidence;
    EXPECT_GE(score.required["event wait"].share(), 0.98);
    EXPECT_GE(score.required["synchronisation"].share(), 0.98);
    EXPECT_EQ(score.required["launch"].share(), 1.0);
  }
}

/// Programs that record events on any stream at random: what is certain is true, most guesses are.
TEST(KnownTruthOfTheNewProfiler, WaitsOfRandomProgramsAreTrueOrMarkedAsGuesses) {
  Score score;
  score.form = vm::DeviceForm::kCuspy;
  score.sync = vm::SyncRows::kFull;
  for (int seed = 1; seed <= 20; ++seed) score.add("random:" + std::to_string(seed));
  score.print("new profiler, random programs");
  for (const char* evidence : {"event wait", "synchronisation", "launch", "graph dependency"})
    EXPECT_EQ(score.edges[evidence].share(), 1.0) << evidence;
  EXPECT_GE(score.edges["event wait (inferred)"].share(), 0.75);
}

TEST(KnownTruthWithoutSyncRows,
     EventSynchronisationsThatReturnLateAreInferredOnlyWhereTheyAreTrue) {
  Score score;
  score.late_return = 130'000;
  for (const std::string& name : vm::program_names()) score.add(name);
  for (int seed = 1; seed <= 100; ++seed) score.add("random:" + std::to_string(seed));
  score.print("late returns");
  EXPECT_EQ(score.edges["synchronisation (inferred)"].share(), 1.0);
  EXPECT_GT(score.late_returns_inferred, 0U);
}

/// Random programs record events of streams that nothing in the trace names: guesses are few.
TEST(KnownTruthWithoutSyncRows, InferredWaitsOfRandomProgramsAreMostlyTrueAndAllElseIsExact) {
  Score score;
  for (int seed = 1; seed <= 100; ++seed) score.add("random:" + std::to_string(seed));
  score.print("random programs");
  EXPECT_GE(score.edges["event wait (inferred)"].share(), 0.6);
  EXPECT_GE(score.edges["synchronisation (inferred)"].share(), 0.8);
  for (const char* certain :
       {"launch", "stream order", "thread order", "thread hand-off", "graph order"}) {
    EXPECT_EQ(score.required[certain].share(), 1.0) << certain;
    EXPECT_EQ(score.edges[certain].share(), 1.0) << certain;
  }
}

}  // namespace
}  // namespace nadi
