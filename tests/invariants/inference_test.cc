// Waits that no record tells are found by patterns, places and timing: a small part of what
// tests/vm/truth_table --inference looks at.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <ostream>

#include "tests/invariants/inference_score.h"

namespace nadi {

namespace {

/// One that programs are tuned with, and one held back; of the slowest that one alone, of those of
/// which two say little all.
std::vector<int> seeds_of(const InferenceCase& what) {
  const std::string& kind = what.kind;
  const std::vector<int> tuned = inference_seeds(what, false),
                         held_back = inference_seeds(what, true);
  if (kind.starts_with("pipeline_tensor")) return {held_back.front()};
  if (kind != "random" && kind != "sync_heavy") return {tuned.front(), held_back.front()};
  std::vector<int> all = tuned;
  all.insert(all.end(), held_back.begin(), held_back.end());
  return all;
}

std::vector<InferenceCase> cases_with_limits() {
  std::vector<InferenceCase> cases = inference_cases();
  std::erase_if(cases, [](const InferenceCase& what) { return what.limits.most_what_if == 0; });
  return cases;
}

void expect_within(const InferenceLimits& limits, const SpoiltScore& score) {
  const std::string missing = fmt::format("{}", fmt::join(score.missing_waits, "\n"));
  EXPECT_GE(score.waits.share(), limits.least_recall) << missing;
  EXPECT_GE(score.binding_waits.share(), limits.least_binding_recall) << missing;
  EXPECT_GE(score.inferred_waits().share(), limits.least_precision)
      << fmt::format("{}", fmt::join(score.false_edges, "\n"));
  EXPECT_LE(score.worst_what_if, limits.most_what_if)
      << score.worst_program << " " << score.worst_change;
}

class InferredWaits : public testing::TestWithParam<InferenceCase> {};

TEST_P(InferredWaits, AreNearlyAllFoundAndNearlyAllTrue) {
  SpoiltScore score;
  for (const int seed : seeds_of(GetParam())) add_seed(GetParam(), seed, score);
  expect_within(GetParam().limits, score);
}

std::string inference_case_name(const testing::TestParamInfo<InferenceCase>& test) {
  std::string name = test.param.kind + "_" + test.param.fault.name;
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Cases, InferredWaits, testing::ValuesIn(cases_with_limits()),
                         inference_case_name);

/// A program of today's frameworks that the table does not hold, and that a rule was made of.
struct FurtherProgram {
  const char* fault;
  const char* kind;
  int seed;
  friend void PrintTo(const FurtherProgram& what, std::ostream* out) {
    *out << what.fault << ", " << what.kind << ':' << what.seed;
  }
};

class FurtherSeeds : public testing::TestWithParam<FurtherProgram> {};

TEST_P(FurtherSeeds, AreWithinTheLimitsOfTheTable) {
  for (const InferenceCase& what : framework_cases()) {
    if (what.fault.name != GetParam().fault || what.kind != GetParam().kind) continue;
    SpoiltScore score;
    add_seed(what, GetParam().seed, score);
    return expect_within(what.limits, score);
  }
  FAIL() << "the table has no such row";
}

INSTANTIATE_TEST_SUITE_P(
    Programs, FurtherSeeds,
    testing::Values(
        // A thread that records two events seems to wait for its own.
        FurtherProgram{"sync rows name an event alone", "scheduler", 91},
        // A thread goes to another stream before an op that launches on that stream alone.
        FurtherProgram{"no record rows either", "fsdp2", 93},
        // Two threads that follow on one event do something at about the same time.
        FurtherProgram{"all recorded", "scheduler", 111},
        FurtherProgram{"all recorded", "scheduler", 142},
        // Rows that start a little after the one before, but as late after their launch as all do.
        FurtherProgram{"all recorded", "scheduler", 143},
        // A hand-off that began before what the thread did last, and was over behind it.
        FurtherProgram{"all recorded", "server", 122},
        // A thread that launches all the time has always just launched when another goes on.
        FurtherProgram{"all recorded", "scheduler", 153},
        // A thread waits for another for less than 20 us at a time.
        FurtherProgram{"all recorded", "scheduler", 171},
        // FSDP2's waits in the backward pass hold nothing up, but are those of the forward pass.
        FurtherProgram{"no sync rows", "fsdp2", 192}),
    [](const testing::TestParamInfo<FurtherProgram>& test) {
      return fmt::format("{}_{}", test.param.kind, test.param.seed);
    });

}  // namespace
}  // namespace nadi
