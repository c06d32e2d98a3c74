// Jobs of known truth on networks fitted to them take the time that was recorded.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/invariants/program_files.h"
#include "tests/readme_text.h"

namespace nadi {
namespace {

constexpr int kSeeds = 6;
constexpr const char* kReadme = "sim_bridge/astra_sim/network.md";

struct Training {
  const char* name;
  vm::Program (*make)(std::uint64_t seed, std::uint64_t run);
};
constexpr Training kTrainings[] = {
    {"data_parallel",
     [](auto seed, auto run) { return vm::data_parallel(seed, vm::CommCalls::k2025, run); }},
    {"pipeline_tensor",
     [](auto seed, auto run) { return vm::pipeline_tensor(seed, vm::CommCalls::k2025, run); }},
};

ConvertRanksReport convert_for_astra_sim(const vm::Program& program,
                                         const astra_sim::NetworkChoice& network = {}) {
  ConvertRanksOptions options;
  options.target = Target::kAstraSim;
  options.network = network;
  return ProgramFiles(program).convert(std::move(options));
}

/// % by which the run on the network is longer than the recorded span.
double error_of(const ConvertRanksReport& report) {
  const auto makespan = static_cast<double>(report.check.network_makespan_ns.value_or(0));
  return 100 * (makespan / static_cast<double>(report.recorded_span_ns) - 1);
}

TEST(FittedJobs, TakeTheRecordedTimeOnTheNetworkFittedToThem) {
  constexpr double kMostError = 0.5;  // %
  test::Range factors;
  for (const Training& training : kTrainings) {
    test::Range recorded_ms, errors_before, errors;
    for (int seed = 1; seed <= kSeeds; ++seed) {
      const ConvertRanksReport report =
          convert_for_astra_sim(training.make(static_cast<std::uint64_t>(seed), 0));
      ASSERT_TRUE(report.check.fit.has_value());
      const double before = 100 * (static_cast<double>(report.check.fit->unstretched_ns) /
                                       static_cast<double>(report.recorded_span_ns) -
                                   1);
      fmt::print("{}:{} before the factor {:+.2f} %, after it ({:.3f}) {:+.2f} %\n", training.name,
                 seed, before, report.check.fit->factor, error_of(report));
      EXPECT_LE(std::abs(error_of(report)), kMostError) << training.name << ":" << seed;
      recorded_ms.add(static_cast<double>(report.recorded_span_ns) / 1e6);
      errors_before.add(before);
      errors.add(error_of(report));
      factors.add(report.check.fit->factor);
    }
    test::expect_readme_row(
        kReadme,
        fmt::format("| `{}` of the virtual machine, seeds 1 to 6 | | {} ms | | | {} % | {} % |",
                    training.name, recorded_ms.text(1), errors_before.text(1, true),
                    errors.text(1, true)));
  }
  test::expect_readme_says(kReadme, "near 1: " + factors.text(2) + " in the 12 training programs");
}

TEST(FittedJobs, TellTheTimeOfAnotherRunOfTheSameCluster) {
  constexpr double kMostError = 6;  // %
  for (const Training& training : kTrainings) {
    test::Range errors;
    for (int seed = 1; seed <= kSeeds; ++seed) {
      const auto of_run = [&](std::uint64_t run) {
        return training.make(static_cast<std::uint64_t>(seed), run);
      };
      const ConvertRanksReport fitted = convert_for_astra_sim(of_run(0));
      ASSERT_TRUE(fitted.check.network.has_value());
      astra_sim::NetworkChoice network;
      network.is_fitted = false;
      network.dimensions = fitted.check.network->network.dimensions;
      const ConvertRanksReport other = convert_for_astra_sim(of_run(1), network);
      fmt::print("{}:{} on the network of another run {:+.2f} %\n", training.name, seed,
                 error_of(other));
      EXPECT_LE(std::abs(error_of(other)), kMostError) << training.name << ":" << seed;
      errors.add(error_of(other));
    }
    test::expect_readme_row(
        kReadme,
        fmt::format(
            "| `{}`, on the network fitted to another run of the same cluster | | | | | | {} % |",
            training.name, errors.text(1, true)));
  }
}

}  // namespace
}  // namespace nadi
