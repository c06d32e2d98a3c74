// Training programs by seed are what they promise: many waits, iterations that differ in time only.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/vm/compare.h"
#include "tests/vm/programs.h"
#include "tests/vm/repeat.h"

namespace nadi::vm {
namespace {

constexpr const char* kKinds[] = {
    "data_parallel", "pipeline_tensor", "autograd", "sync_heavy", "data_parallel_2023",
    "server",        "scheduler",       "offload",  "fsdp2",      "moe",
    "two_gpus"};

std::size_t waits_in(const Truth& truth) {
  std::size_t waits = 0;
  for (const TruthEdge& edge : truth.edges)
    waits += edge.kind == EdgeKind::kEventWait || edge.kind == EdgeKind::kSynchronisation ? 1 : 0;
  return waits;
}

TEST(TrainingPrograms, OfFiveSeedsHaveOverTwoHundredWaitsAndTruthsThatAGraphCanTell) {
  for (const std::string kind : kKinds) {
    std::size_t waits = 0;
    for (int seed = 1; seed <= 5; ++seed) {
      const Truth truth = truth_of(make_program(kind + ":" + std::to_string(seed)));
      waits += waits_in(truth);
      if (seed > 1) continue;
      const Comparison comparison = compare(truth, perfect_graph(truth));
      EXPECT_TRUE(comparison.is_exact()) << kind << "\n" << comparison.text();
    }
    EXPECT_GT(waits, 200U) << kind;
  }
}

/// Durations of steps of the first thread.
std::set<Ns> steps_of(const Program& program) {
  const Execution run = execute(program);
  std::set<Ns> durations;
  for (std::size_t op = 0; op < program.ranks[0].ops.size(); ++op)
    if (program.ranks[0].ops[op].name.starts_with("ProfilerStep#"))
      durations.insert(run.ranks[0].ops[op].span.end - run.ranks[0].ops[op].span.start);
  return durations;
}

TEST(TrainingPrograms, TakeAnotherTimeInEachStep) {
  for (const std::string kind : kKinds)
    EXPECT_GE(steps_of(make_program(kind + ":2")).size(), 7U) << kind;
}

TEST(Repeated, RoundsDifferByJitterAndStandInSteps) {
  Rounds rounds;
  rounds.has_steps = true;
  EXPECT_EQ(steps_of(repeated(straight_line(), 3, rounds)).size(), 1U);
  rounds.jitter = 0.1;
  EXPECT_EQ(steps_of(repeated(straight_line(), 3, rounds)).size(), 3U);
  const Truth truth = truth_of(repeated(ddp_step(2), 3, rounds));
  EXPECT_TRUE(compare(truth, perfect_graph(truth)).is_exact());
}

}  // namespace
}  // namespace nadi::vm
