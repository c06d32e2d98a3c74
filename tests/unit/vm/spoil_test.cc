// What a profiler gets wrong is wrong in its records, and only there.
#include "tests/vm/spoil.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/vm/programs.h"
#include "tests/vm/write.h"

namespace nadi::vm {
namespace {

struct Spoilt {
  explicit Spoilt(const Spoil& how, const char* name = "ddp_step_2")
      : program(make_program(name)), run(execute(program)), recorded(spoil(program, run, how)) {}

  std::size_t lost(int rank) const {
    return at(run.ranks, rank).rows.size() - at(recorded.ranks, rank).rows.size();
  }

  Program program;
  Execution run, recorded;
};

TEST(Spoil, OfNothingChangesNoByte) {
  const Spoilt spoilt(Spoil{});
  EXPECT_EQ(write_device_trace(spoilt.program, spoilt.run, 0),
            write_device_trace(spoilt.program, spoilt.recorded, 0));
}

TEST(Spoil, ADeviceClockMovesRowsOfItsRankAndNoCall) {
  Spoil how;
  how.clocks[1] = {40'000, 500e-6};
  const Spoilt spoilt(how);
  for (std::size_t rank = 0; rank < 2; ++rank) {
    const RankRun &was = spoilt.run.ranks[rank], &is = spoilt.recorded.ranks[rank];
    for (std::size_t row = 0; row < was.rows.size(); ++row) {
      const Ns start = was.rows[row].span.start;
      const Ns drifted = start + 40'000 + start / 2'000;
      EXPECT_LE(std::abs(is.rows[row].span.start - (rank == 1 ? drifted : start)), 1);
    }
    for (std::size_t call = 0; call < was.calls.size(); ++call)
      EXPECT_EQ(was.calls[call].span.start, is.calls[call].span.start);
  }
}

TEST(Spoil, LosesRowsByShareAndCallAndByTheTimesOfTheTrace) {
  Spoil how;
  how.loss.share = 1;
  how.loss.call = "cudaMemcpyAsync";
  EXPECT_LT(Spoilt(how).recorded.ranks[0].rows.size(), Spoilt(Spoil{}).run.ranks[0].rows.size());
  how.loss.call = "";
  EXPECT_TRUE(Spoilt(how).recorded.ranks[0].rows.empty());
  how.loss.call = "cudaNothing";
  EXPECT_EQ(Spoilt(how).lost(0), 0U);
  Spoil late;
  late.late_start = 0.3;
  late.early_end = 0.2;
  const Spoilt cut(late);
  EXPECT_GT(cut.lost(0), 0U);
  for (const RowRun& row : cut.recorded.ranks[0].rows) {
    EXPECT_GE(row.span.start, cut.run.makespan * 3 / 10 - 1);
    EXPECT_LE(row.span.end, cut.run.makespan * 8 / 10 + 1);
  }
}

TEST(Spoil, DamagesAsManyRowsAsAskedForWithinReadingErrors) {
  Spoil how;
  how.damaged_rows = 1;
  how.reading_error_ns = 100;
  const Spoilt spoilt(how);
  std::size_t damaged = 0;
  const std::vector<RowRun>&was = spoilt.run.ranks[0].rows, &is = spoilt.recorded.ranks[0].rows;
  for (std::size_t row = 0; row < was.size(); ++row) {
    const Ns start = std::abs(is[row].span.start - was[row].span.start);
    const Ns end = std::abs(is[row].span.end - was[row].span.end);
    damaged += std::max(start, end) > 1'000'000 ? 1 : 0;
    EXPECT_TRUE(std::max(start, end) <= 100 || std::max(start, end) > 1'000'000);
  }
  EXPECT_EQ(damaged, 1U);
}

TEST(Spoil, IsTheSameEveryTimeAndAnotherWithAnotherSeed) {
  Spoil how;
  how.reading_error_ns = 1'000;
  const auto text = [&] {
    const Spoilt spoilt(how);
    return write_device_trace(spoilt.program, spoilt.recorded, 0);
  };
  const std::string first = text();
  EXPECT_EQ(first, text());
  how.seed = 2;
  EXPECT_NE(first, text());
}

TEST(Writing, OfWholeMicrosecondsCutsEveryStamp) {
  const Program program = make_program("ddp_step_2");
  WriteOptions options;
  options.has_whole_micros = true;
  const auto trace =
      nlohmann::json::parse(write_device_trace(program, execute(program), 0, options));
  std::size_t rows = 0;
  for (const auto& event : trace["traceEvents"]) {
    if (event["ph"] != "X" || event["cat"] == "Trace") continue;
    for (const char* key : {"ts", "dur"})
      EXPECT_EQ(event[key].get<double>(), std::floor(event[key].get<double>()));
    ++rows;
  }
  EXPECT_GT(rows, 10U);
}

}  // namespace
}  // namespace nadi::vm
