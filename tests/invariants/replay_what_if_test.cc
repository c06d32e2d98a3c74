// What a replay says would happen is what does happen when the virtual machine runs the change.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "tests/invariants/replay_job_files.h"
#include "tests/invariants/what_if.h"
#include "tests/readme_text.h"
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

/// Errors of the replays of a kind of program, %.
struct Errors {
  double most = 0, sum = 0;
  int count = 0, within_2 = 0;

  void add(double error) {
    most = std::max(most, std::abs(error));
    sum += std::abs(error);
    ++count;
    if (std::abs(error) <= 2) ++within_2;
  }
};

/// Of changes_of; the name in the table of sim_bridge/replay/README.md.
struct ChangeName {
  const char *name, *in_readme;
};
constexpr ChangeName kChanges[] = {{"kernels_half", "kernels x 0.5"},
                                   {"kernels_double", "kernels x 2"},
                                   {"host_half", "host x 0.5"},
                                   {"communication_double", "communication x 2"},
                                   {"one_stream_triple", "one stream x 3"}};

class WhatIf : public testing::TestWithParam<std::size_t> {};

TEST_P(WhatIf, AgreesWithTheTrueReExecution) {
  Errors training, random;
  for (const std::string& name : replayed_programs()) {
    const vm::Program program = vm::make_program(name);
    const vm::Execution run = vm::execute(program);
    const Change change = changes_of(program)[GetParam()];
    const Ns truth = true_span(program, vm::execute(program, change.scale));
    const Ns replayed = replayed_span(job_of_program(program, run, Delays::kAll), {change.text});
    const double error = 100 * static_cast<double>(replayed - truth) / static_cast<double>(truth);
    fmt::print("{:24} {} rank(s)  {:14} true {:9.3f} us  replayed {:9.3f} us  error {:+.2f} %\n",
               program.name, program.ranks.size(), change.text, static_cast<double>(truth) / 1000,
               static_cast<double>(replayed) / 1000, error);
    EXPECT_LE(std::abs(error), most_error(name)) << name << ", " << change.text;
    (name.starts_with("random:") ? random : training).add(error);
  }
  EXPECT_EQ(training.count, 18);  // as the title of the column says
  test::expect_readme_row("sim_bridge/replay/README.md",
                          fmt::format("| {} | {:.2f} % | {:.2f} %, {:.2f} %, {} of {} |",
                                      kChanges[GetParam()].in_readme, training.most, random.most,
                                      random.sum / random.count, random.within_2, random.count));
}

INSTANTIATE_TEST_SUITE_P(Changes, WhatIf, testing::Range(std::size_t{0}, std::size(kChanges)),
                         [](const auto& test) { return std::string(kChanges[test.param].name); });

}  // namespace
}  // namespace nadi
