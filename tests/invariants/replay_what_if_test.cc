// What a replay says would happen is what does happen when the virtual machine runs the change.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/invariants/replay_job_files.h"
#include "tests/invariants/what_if.h"
#include "tests/vm/programs.h"

namespace nadi {
namespace {

// %. Random programs hold what no trace shows: a latency drawn for every launch, of which those
// that never counted cannot be known, and rows of a graph launch that follow each other on a lane
// without having to.
constexpr double kMostWhatIfError = 2, kMostErrorRandom = 10;

double most_error(const std::string& program) {
  return program.starts_with("random:") ? kMostErrorRandom : kMostWhatIfError;
}

class WhatIf : public testing::TestWithParam<std::string> {};

TEST_P(WhatIf, AgreesWithTheTrueReExecution) {
  const vm::Program program = vm::make_program(GetParam());
  const vm::Execution run = vm::execute(program);
  const std::vector<ChakraGraph> graphs = job_of_program(program, run, Delays::kAll);
  for (const Change& change : changes_of(program)) {
    const Ns truth = true_span(program, vm::execute(program, change.scale));
    const Ns replayed = replayed_span(graphs, {change.text});
    const double error = 100 * static_cast<double>(replayed - truth) / static_cast<double>(truth);
    fmt::print("{:24} {} rank(s)  {:14} true {:9.3f} us  replayed {:9.3f} us  error {:+.2f} %\n",
               program.name, program.ranks.size(), change.text, static_cast<double>(truth) / 1000,
               static_cast<double>(replayed) / 1000, error);
    EXPECT_LE(std::abs(error), most_error(GetParam())) << change.text;
  }
}

std::string test_name(const testing::TestParamInfo<std::string>& test) {
  std::string name = test.param;
  for (char& c : name)
    if (c == ':') c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Programs, WhatIf, testing::ValuesIn(replayed_programs()), test_name);

}  // namespace
}  // namespace nadi
