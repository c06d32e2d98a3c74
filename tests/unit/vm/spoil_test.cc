// What a profiler gets wrong is wrong in its records, and only there.
#include "tests/vm/spoil.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

#include "tests/vm/programs.h"
#include "tests/vm/repeat.h"
#include "tests/vm/write.h"

namespace nadi::vm {
namespace {

struct Spoilt {
  explicit Spoilt(const Spoil& how, Program what = make_program("ddp_step_2"))
      : program(std::move(what)), run(execute(program)), recorded(spoil(program, run, how)) {}

  /// Of rank 0.
  std::size_t lost_rows() const {
    const std::vector<RowRun>& rows = recorded.ranks[0].rows;
    return static_cast<std::size_t>(
        std::count_if(rows.begin(), rows.end(), [](const RowRun& r) { return !r.is_recorded; }));
  }
  std::size_t lost_calls() const {
    const std::vector<CallRun>& calls = recorded.ranks[0].calls;
    return static_cast<std::size_t>(
        std::count_if(calls.begin(), calls.end(), [](const CallRun& c) { return !c.is_recorded; }));
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
  how.device_clocks[1] = {40'000, 500e-6};
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

TEST(Spoil, AHostClockMovesEveryStampOfItsRankAndOfNoOther) {
  Spoil how;
  how.host_clocks[1] = {-7'000, 0};
  const Spoilt spoilt(how);
  for (std::size_t rank = 0; rank < 2; ++rank) {
    const RankRun &was = spoilt.run.ranks[rank], &is = spoilt.recorded.ranks[rank];
    const Ns moved = rank == 1 ? -7'000 : 0;
    EXPECT_EQ(is.ops[3].span.start, was.ops[3].span.start + moved);
    EXPECT_EQ(is.calls[3].span.end, was.calls[3].span.end + moved);
    EXPECT_EQ(is.rows[3].span.start, was.rows[3].span.start + moved);
  }
}

TEST(Spoil, LosesRecordsByShareAndCall) {
  Spoil how;
  how.loss = {1, "cudaMemcpyAsync"};
  const Spoilt copies(how);
  EXPECT_GT(copies.lost_rows(), 0U);
  EXPECT_LT(copies.lost_rows(), copies.run.ranks[0].rows.size());
  how.loss.call = "";
  EXPECT_EQ(Spoilt(how).lost_rows(), copies.run.ranks[0].rows.size());
  EXPECT_EQ(Spoilt(how).lost_calls(), copies.run.ranks[0].calls.size());
  how.loss.call = "cudaNothing";
  EXPECT_EQ(Spoilt(how).lost_rows() + Spoilt(how).lost_calls(), 0U);
}

TEST(Spoil, LosesARuntimeRowADeviceRowAndASyncRowOfACallEachByItself) {
  Spoil how;
  how.loss.share = 0.5;
  const Spoilt spoilt(how, repeated(host_syncs(), 12));
  const RankRun& run = spoilt.recorded.ranks[0];
  std::set<std::pair<bool, bool>> of_launches, of_waits;
  for (const CallRun& call : run.calls)
    if (call.rows.size() == 1)
      of_launches.emplace(call.is_recorded, at(run.rows, call.rows[0]).is_recorded);
    else
      of_waits.emplace(call.is_recorded, call.is_sync_recorded);
  EXPECT_EQ(of_launches.size(), 4U);
  EXPECT_EQ(of_waits.size(), 4U);
}

TEST(Spoil, AProfilerThatIsOnForAWhileRecordsWhatBeganAndEndedMeanwhile) {
  Spoil how;
  how.late_start = 0.3;
  how.early_end = 0.2;
  const Spoilt spoilt(how);
  Ns end_of_ops = 0;
  for (const RankRun& rank : spoilt.run.ranks)
    for (const OpRun& op : rank.ops) end_of_ops = std::max(end_of_ops, op.span.end);
  const Ns begin = end_of_ops * 3 / 10, end = end_of_ops * 8 / 10;
  const RankRun& run = spoilt.recorded.ranks[0];
  const auto check = [&](const auto& records) {
    for (const auto& record : records)
      EXPECT_EQ(record.is_recorded, record.span.start >= begin && record.span.end <= end);
  };
  check(run.ops);
  check(run.calls);
  check(run.rows);
  EXPECT_GT(spoilt.lost_rows(), 0U);
  EXPECT_LT(spoilt.lost_rows(), run.rows.size());
}

TEST(Spoil, DeviceRowsOfTheFirstPartOfARunAreLostAndNothingElse) {
  Spoil how;
  how.late_device_rows = 0.3;
  const Spoilt spoilt(how);
  EXPECT_GT(spoilt.lost_rows(), 0U);
  EXPECT_EQ(spoilt.lost_calls(), 0U);
  for (const RowRun& row : spoilt.recorded.ranks[0].rows)
    EXPECT_EQ(row.is_recorded, row.span.start >= spoilt.run.makespan * 3 / 10);
}

TEST(Writing, OfALostRuntimeRowLeavesTheDeviceRowWithItsExternalIdAndTheEndOfItsFlow) {
  const Program program = make_program("straight_line");
  Execution run = execute(program);
  run.ranks[0].calls[1].is_recorded = false;
  const std::int64_t lost = run.ranks[0].calls[1].correlation;
  const auto trace = nlohmann::json::parse(write_device_trace(program, run, 0));
  std::multiset<std::string> left;
  for (const auto& event : trace["traceEvents"]) {
    const bool is_flow = event["ph"] == "s" || event["ph"] == "f";
    if (is_flow && event["id"] == lost) left.insert(event["ph"]);
    if (is_flow || !event.contains("args")) continue;
    if (event["args"].value("correlation", 0) != lost) continue;
    left.insert(event["cat"]);
    EXPECT_TRUE(event["args"].contains("External id"));
  }
  EXPECT_EQ(left, (std::multiset<std::string>{"f", "kernel"}));
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
