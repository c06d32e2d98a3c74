// Jobs converted with scales are those that a replay with the scales says, and nearly those that
// the virtual machine's own execution of the change gives.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "nadi/chakra/load_chakra_graph.h"
#include "tests/invariants/program_files.h"
#include "tests/invariants/replay_job_files.h"
#include "tests/invariants/what_if.h"
#include "tests/readme_text.h"

namespace nadi {
namespace {

constexpr const char* kTrainings[] = {"data_parallel", "pipeline_tensor"};
constexpr int kSeeds = 3;

vm::Program training(const std::string& name, int seed) {
  const auto number = static_cast<std::uint64_t>(seed);
  return name == "data_parallel" ? vm::data_parallel(number, vm::CommCalls::k2025, 0)
                                 : vm::pipeline_tensor(number, vm::CommCalls::k2025, 0);
}

std::vector<Scale> scales_of(const std::string& text) { return {parse_scale(text)}; }

double percent_beyond(Ns time, Ns truth) {
  return 100 * (static_cast<double>(time) / static_cast<double>(truth) - 1);
}

TEST(ScaledJobs, TakeTheTimeOfTheTrueChangeUnderTheIssueRules) {
  constexpr double kMostError = 2;                                        // %
  for (std::size_t change_index = 0; change_index < 3; ++change_index) {  // not those of streams
    test::Range errors;
    std::string text;
    for (const char* name : kTrainings)
      for (int seed = 1; seed <= kSeeds; ++seed) {
        const vm::Program program = training(name, seed);
        const Change change = changes_of(program)[change_index];
        text = change.text;
        const Ns truth = true_span(program, vm::execute(program, change.scale));
        ConvertRanksOptions options;
        options.target = Target::kAstraSim;
        options.what_if.scales = scales_of(change.text);
        const ConvertRanksReport report = ProgramFiles(program).convert(std::move(options));
        ASSERT_TRUE(report.check.network_makespan_ns.has_value()) << report.check.network_unknown;
        const double error = percent_beyond(*report.check.network_makespan_ns, truth);
        fmt::print("{}:{} {} {:+.2f} %\n", name, seed, change.text, error);
        EXPECT_LE(std::abs(error), kMostError) << name << ":" << seed << ", " << change.text;
        errors.add(error);
      }
    test::expect_readme_row("sim_bridge/astra_sim/README.md",
                            fmt::format("| `{}` | {} % |", text, errors.text(2, true)));
  }
}

/// The plain graphs that the program's traces become, with all delays.
std::vector<Graph> graphs_with(const std::vector<Scale>& scales, const ProgramFiles& files) {
  ConvertRanksOptions options;
  options.what_if.scales = scales;
  options.convert.graph.delays = Delays::kAll;
  std::vector<Graph> graphs;
  for (const std::string& output : files.convert(std::move(options)).outputs)
    graphs.push_back(load_chakra_graph(output));
  return graphs;
}

TEST(ScaledJobs, OfPlainGraphsReplayAsTheScalesSay) {
  for (const std::string change : {"kernels=0.5", "host=0.5", "comm=2", "kernel:.*=3"}) {
    const vm::Program program = training("data_parallel", 1);
    const ProgramFiles files(program);
    const std::vector<Graph> recorded = graphs_with({}, files),
                             scaled = graphs_with(scales_of(change), files);
    ASSERT_EQ(scaled.size(), program.ranks.size());
    EXPECT_EQ(replayed_span(scaled, {}), replayed_span(recorded, {change})) << change;
    EXPECT_NE(replayed_span(scaled, {}), replayed_span(recorded, {})) << change;
  }
}

TEST(ScaledJobs, OfAFactorOfOneAreTheRecordedOnes) {
  const ProgramFiles files(training("data_parallel", 1));
  const std::vector<Graph> recorded = graphs_with({}, files),
                           scaled = graphs_with(scales_of("host=1"), files);
  ASSERT_EQ(scaled.size(), recorded.size());
  for (std::size_t rank = 0; rank < scaled.size(); ++rank) {
    EXPECT_EQ(scaled[rank].start_ns, recorded[rank].start_ns);
    EXPECT_EQ(scaled[rank].duration_ns, recorded[rank].duration_ns);
    EXPECT_EQ(scaled[rank].id, recorded[rank].id);
  }
}

}  // namespace
}  // namespace nadi
