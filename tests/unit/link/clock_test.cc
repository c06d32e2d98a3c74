// A device's clock against the host's: what asks for a correction, how far it goes, what it leaves.
#include "nadi/link/clock.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "tests/unit/link/trace_text.h"

namespace nadi {
namespace {

using namespace test;

using Theta = std::function<Ns(Ns host)>;
Theta offset(Ns by) {
  return [by](Ns) { return by; };
}
Theta drift(double ppm, Ns from = 0) {
  return [=](Ns host) { return from + std::llround(static_cast<double>(host) * ppm * 1e-6); };
}

struct Recorded {
  Theta theta = offset(0);
  bool has_whole_micros = false;
  int device = 0;
  std::int64_t first_correlation = 1;
  /// Changes start and duration of device rows, by row number.
  std::function<void(int row, Ns& start, Ns& duration)> damage = {};
  /// One wait in so many returns at once, the others 100 us later.
  Ns prompt_waits = 1;
};

constexpr int kSteps = 200;
constexpr Ns kPeriod = 1'000'000, kLatency = 6'000, kReturnsAfter = 4'000;

/// Where the bounds leave the clock room on both sides, it is taken to be in the middle.
constexpr Ns kMiddle = (kLatency - kReturnsAfter) / 2;

/// A span of a device row in host time.
struct TrueRow {
  Ns start, end;
};

/// Each step launches two kernels that follow each other and waits for their stream.
class TrainingLoop {
 public:
  explicit TrainingLoop(Recorded recorded) : recorded_(std::move(recorded)) {
    for (int step = 0; step < kSteps; ++step) add_step(kPeriod * (step + 1));
  }
  const Lines& events() const { return events_; }
  const std::vector<TrueRow>& rows() const { return rows_; }

 private:
  void add_step(Ns begin) {
    const std::int64_t id = recorded_.first_correlation + 10 * static_cast<Ns>(rows_.size());
    const Ns first = begin + kLatency, second = first + 400'000, end = second + 100'000;
    add_call("cudaLaunchKernel", begin, 5'000, id);
    add_row(first, second, id);
    add_call("cudaLaunchKernel", begin + 20'000, 5'000, id + 1);
    add_row(second, end, id + 1);
    const Ns late = (begin / kPeriod) % recorded_.prompt_waits == 0 ? 0 : 100'000;
    add_call("cudaStreamSynchronize", begin + 50'000, end + kReturnsAfter + late - begin - 50'000,
             id + 2);
    events_.push_back(
        event("cuda_sync", "Stream Sync", stamp(begin + 50'001), 0, lane(), args(id + 2)));
  }

  void add_call(const char* name, Ns begin, Ns duration, std::int64_t correlation) {
    const double start = stamp(begin);
    events_.push_back(
        call(name, start, stamp(begin + duration) - start, static_cast<int>(correlation)));
  }

  void add_row(Ns start, Ns end, std::int64_t correlation) {
    rows_.push_back({start, end});
    Ns shown = start + recorded_.theta(start), duration = end + recorded_.theta(end) - shown;
    if (recorded_.damage) recorded_.damage(static_cast<int>(rows_.size()) - 1, shown, duration);
    events_.push_back(event("kernel", "k", stamp(shown), stamp(shown + duration) - stamp(shown),
                            lane(), args(correlation)));
  }

  std::string lane() const { return fmt::format(R"("pid": {}, "tid": 7)", recorded_.device); }
  std::string args(std::int64_t correlation) const {
    return fmt::format(R"("device": {}, "context": 1, "stream": 7, "correlation": {})",
                       recorded_.device, correlation);
  }
  double stamp(Ns time) const {
    if (recorded_.has_whole_micros) return std::floor(static_cast<double>(time) / 1000);
    return static_cast<double>(time) / 1000;
  }

  Recorded recorded_;
  Lines events_;
  std::vector<TrueRow> rows_;
};

/// A trace read and corrected.
struct Corrected {
  explicit Corrected(const Lines& events) : trace(device_trace(events)) {
    recorded_starts = trace.rows.start_ns;
    clocks = correct_clocks(trace, find_row_limits(trace), diagnostics);
  }
  explicit Corrected(const Recorded& recorded) : Corrected(TrainingLoop(recorded).events()) {}

  Ns start(std::size_t row) const { return trace.rows.start_ns[row]; }
  Ns end(std::size_t row) const { return start(row) + trace.rows.duration_ns[row]; }

  DeviceTrace trace;
  std::vector<Ns> recorded_starts;
  Diagnostics diagnostics;
  std::vector<ClockCorrection> clocks;
};

/// Rows must be where launches and waits allow them, which is nearly where they were.
void expect_true_times(const Corrected& corrected, const Recorded& recorded, Ns resolution = 10) {
  const TrainingLoop loop(recorded);
  const Ns slack = kLatency + kReturnsAfter;
  for (std::size_t row = 0; row < loop.rows().size(); ++row) {
    const TrueRow& truth = loop.rows()[row];
    ASSERT_LE(std::abs(corrected.start(row) - truth.start), slack + resolution) << "row " << row;
    ASSERT_LE(std::abs(corrected.end(row) - truth.end), slack + resolution) << "row " << row;
    if (row % 2 == 0) {
      ASSERT_GE(corrected.start(row), truth.start - kLatency - resolution) << "before its launch";
      ASSERT_LE(corrected.end(row), corrected.start(row + 1) + resolution) << "order on the lane";
    } else {
      ASSERT_LE(corrected.end(row), truth.end + kReturnsAfter + resolution) << "after the wait";
    }
  }
}

TEST(Clock, ThatContradictsNoCallIsLeftAsItIs) {
  for (Ns by : {-6'000, 0, 4'000}) {
    const Corrected corrected(Recorded{offset(by)});
    EXPECT_TRUE(corrected.clocks.empty());
    EXPECT_TRUE(corrected.diagnostics.table().empty());
    EXPECT_EQ(corrected.trace.rows.start_ns, corrected.recorded_starts);
  }
}

/// "minus_8500": a name holds no sign, and is no number.
template <class T>
std::string number_name(const testing::TestParamInfo<T>& test) {
  return (test.param < 0 ? "minus_" : "plus_") + std::to_string(std::abs(std::int64_t(test.param)));
}

class ClockOffset : public testing::TestWithParam<Ns> {};

TEST_P(ClockOffset, IsTakenAwayAsFarAsCallsContradictIt) {
  const Recorded recorded{offset(GetParam())};
  const Corrected corrected(recorded);
  ASSERT_EQ(corrected.clocks.size(), 1U);
  EXPECT_EQ(corrected.clocks[0].offset_ns, GetParam() + kMiddle);
  EXPECT_EQ(corrected.clocks[0].drift_ppb, 0);
  EXPECT_EQ(corrected.clocks[0].asked_by, static_cast<std::uint64_t>(kSteps));
  EXPECT_EQ(corrected.clocks[0].outliers, 0U);
  EXPECT_EQ(corrected.clocks[0].slack_ns, kLatency + kReturnsAfter);
  EXPECT_EQ(corrected.diagnostics.count(Finding::kClockCorrected), 1U);
  expect_true_times(corrected, recorded);
}

INSTANTIATE_TEST_SUITE_P(Offsets, ClockOffset,
                         testing::Values(8'500, 40'000, 1'000'000, -8'500, -12'000),
                         number_name<Ns>);

TEST(Clock, FarBehindMakesQueuedRowsStartBeforeTheirLaunchesToo) {
  const Recorded recorded{offset(-1'000'000)};
  const Corrected corrected(recorded);
  ASSERT_EQ(corrected.clocks.size(), 1U);
  EXPECT_EQ(corrected.clocks[0].offset_ns, -1'000'000 + kMiddle);
  EXPECT_EQ(corrected.clocks[0].asked_by, 2U * kSteps);
  expect_true_times(corrected, recorded);
}

TEST(Clock, IsCorrectedByTheFewCallsThatTellItsErrorInFull) {
  Recorded recorded{offset(1'000'000)};
  recorded.prompt_waits = 20;
  const Corrected corrected(recorded);
  ASSERT_EQ(corrected.clocks.size(), 1U);
  EXPECT_EQ(corrected.clocks[0].offset_ns, 1'000'000 + kMiddle);
  EXPECT_EQ(corrected.clocks[0].outliers, 0U);
}

TEST(Clock, OfWhichWaitsTellLittleIsCorrectedByAsLittleAsLaunchesAllow) {
  Recorded recorded{offset(-8'500)};
  recorded.prompt_waits = kSteps + 1;  // all return 104 us after the work has ended
  const Corrected by_offset(recorded);
  ASSERT_EQ(by_offset.clocks.size(), 1U);
  EXPECT_EQ(by_offset.clocks[0].offset_ns, kLatency - 8'500);
  recorded.theta = drift(-200);
  const Corrected by_drift(recorded);
  ASSERT_EQ(by_drift.clocks.size(), 1U);
  EXPECT_EQ(by_drift.clocks[0].drift_ppb, 0);  // a constant of 34 us is enough
}

class ClockDrift : public testing::TestWithParam<double> {};

TEST_P(ClockDrift, IsTakenAwayByALine) {
  const Recorded recorded{drift(GetParam())};
  const Corrected corrected(recorded);
  ASSERT_EQ(corrected.clocks.size(), 1U);
  EXPECT_EQ(corrected.clocks[0].outliers, 0U);
  EXPECT_NEAR(static_cast<double>(corrected.clocks[0].drift_ppb), GetParam() * 1000, 60'000);
  expect_true_times(corrected, recorded);
}

INSTANTIATE_TEST_SUITE_P(Drifts, ClockDrift, testing::Values(200.0, 500.0, -200.0, -500.0),
                         number_name<double>);

TEST(Clock, ThatPassesTheHostsOnTheWayIsCorrectedOnBothSides) {
  const Recorded recorded{drift(400, -40'000)};
  const Corrected corrected(recorded);
  ASSERT_EQ(corrected.clocks.size(), 1U);
  expect_true_times(corrected, recorded);
}

TEST(Clock, OfWholeMicrosecondsIsCorrectedInWholeMicroseconds) {
  const Recorded recorded{offset(40'300), true};
  const Corrected corrected(recorded);
  ASSERT_EQ(corrected.clocks.size(), 1U);
  expect_true_times(corrected, recorded, 2'000);
  for (std::size_t row = 0; row < corrected.trace.rows.size(); ++row) {
    EXPECT_EQ(corrected.start(row) % 1000, 0);
    EXPECT_EQ(corrected.end(row) % 1000, 0);
  }
}

TEST(Clock, OfWholeMicrosecondsMayOverlapByTwoOfThem) {
  const Corrected corrected(Recorded{offset(kReturnsAfter + 1'900), true});
  EXPECT_TRUE(corrected.clocks.empty());
  EXPECT_EQ(corrected.diagnostics.count(Finding::kClockOutlierOfRanks), 0U);
  const Corrected exact(Recorded{offset(kReturnsAfter + 1'900)});
  EXPECT_EQ(exact.clocks.size(), 1U);
}

/// K32: one row, in the middle of the trace, whose stamps are not what they should be.
struct Damage {
  const char* name;
  Ns start, duration;  ///< added
  friend void PrintTo(const Damage& damage, std::ostream* out) { *out << damage.name; }
};

class DamagedRow : public testing::TestWithParam<Damage> {
 protected:
  static constexpr int kRow = kSteps + 1;  // the second of a step: waited for
  static void damage(int row, Ns& start, Ns& duration) {
    if (row != kRow) return;
    start += GetParam().start;
    duration += GetParam().duration;
  }
};

TEST_P(DamagedRow, K32_MovesNoRowOfATraceThatIsRight) {
  const Corrected corrected(Recorded{offset(0), false, 0, 1, damage});
  EXPECT_TRUE(corrected.clocks.empty());
  EXPECT_EQ(corrected.diagnostics.count(Finding::kClockOutlierOfRanks), 1U);
  EXPECT_EQ(corrected.trace.rows.start_ns, corrected.recorded_starts);
}

TEST_P(DamagedRow, K32_ChangesNoCorrectionOfTheOthers) {
  for (const Theta& theta : {offset(40'000), offset(-40'000), drift(500), drift(-500)}) {
    const Corrected whole(Recorded{theta});
    const Corrected damaged(Recorded{theta, false, 0, 1, damage});
    ASSERT_EQ(whole.clocks.size(), 1U);
    ASSERT_EQ(damaged.clocks.size(), 1U);
    EXPECT_GE(damaged.clocks[0].outliers, 1U);
    for (std::size_t row = 0; row < whole.trace.rows.size(); ++row) {
      if (row == kRow) continue;
      ASSERT_LE(std::abs(whole.start(row) - damaged.start(row)), 1) << "row " << row;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, DamagedRow,
                         testing::Values(Damage{"a_day_late", 100'000'000'000'000, 0},
                                         Damage{"a_day_early", -100'000'000'000'000, 0},
                                         Damage{"before_its_launch", -1'500'000, 0},
                                         Damage{"after_its_wait", 1'500'000, 0},
                                         Damage{"too_long", 0, 70'000'000}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(Clock, OfFewCallsIsCorrectedWhereAllThatWaitedAskForIt) {
  const auto corrections = [](double end_of_second) {
    const Lines events = {launch(1, 2, 11),
                          row("a", 9, 16, 11),
                          call("cudaStreamSynchronize", 6, 16, 12),
                          sync("Stream Sync", 7, 12, 7),
                          launch(101, 2, 13),
                          row("b", 105, end_of_second - 105, 13),
                          call("cudaStreamSynchronize", 106, 16, 14),
                          sync("Stream Sync", 107, 14, 7)};
    return Corrected(events).clocks.size();
  };
  EXPECT_EQ(corrections(125), 1U);    // both end 3 us after the waits for them
  EXPECT_EQ(corrections(120), 0U);    // one of two
  EXPECT_EQ(corrections(105.5), 1U);  // the only one that waited: the other found all done
}

TEST(Clock, ThatIsOffByMoreThanASecondOrDriftsTooMuchIsAnotherOne) {
  for (const Theta& theta :
       {offset(1'200'000'000), offset(-1'200'000'000), drift(2'000), drift(-2'000)}) {
    const Corrected corrected(Recorded{theta});
    EXPECT_TRUE(corrected.clocks.empty());
    EXPECT_EQ(corrected.trace.rows.start_ns, corrected.recorded_starts);
    EXPECT_EQ(corrected.diagnostics.count(Finding::kClockForeign), 1U);
    EXPECT_TRUE(corrected.diagnostics.has_loss());
  }
}

TEST(Clock, K32_IsNoOtherOneBecauseTheOnlyRowThatACallWaitedForIsDamaged) {
  for (const double wrong : {1e8, 1e11}) {
    Lines events;
    for (int i = 1; i <= 30; ++i) {
      events.push_back(launch(100 * i, 2, i));
      events.push_back(row("k", 100 * i + 5 + (i == 30 ? wrong : 0), 20, i));
    }
    events.push_back(call("cudaStreamSynchronize", 3010, 30, 31));
    events.push_back(sync("Stream Sync", 3011, 31, 7));
    const Corrected corrected(events);
    EXPECT_TRUE(corrected.clocks.empty());
    EXPECT_EQ(corrected.diagnostics.count(Finding::kClockForeign), 0U);
    EXPECT_EQ(corrected.diagnostics.count(Finding::kClockOutlierOfRanks), 1U);
  }
}

TEST(Clock, WhoseDriftOneCallAloneShowsIsCorrectedByALineIfSeveralRowsDo) {
  constexpr double kDrift = 500e-6;
  const auto clock_of = [](int rows_before_the_wait) {
    Lines events;
    const auto add = [&](double at, int id) {
      const double start = (at + 8) * (1 + kDrift);
      events.push_back(launch(at, 2, id));
      events.push_back(row("k", start, 20, id));
    };
    for (int i = 0; i < 100; ++i) add(1000 * i, i + 1);
    for (int i = 0; i < rows_before_the_wait; ++i) add(100'000 + 25 * i, 200 + i);
    const double called = 100'000 + 25 * rows_before_the_wait - 22;
    events.push_back(call("cudaDeviceSynchronize", called, 28, 300));
    events.push_back(sync("Context Sync", called + 1, 300, -1));
    return Corrected(events);
  };
  const Corrected two = clock_of(2);
  ASSERT_EQ(two.clocks.size(), 1U);
  EXPECT_NEAR(static_cast<double>(two.clocks[0].drift_ppb), kDrift * 1e9, 100'000);
  EXPECT_EQ(two.clocks[0].outliers, 0U);
  const Corrected one = clock_of(1);
  EXPECT_TRUE(one.clocks.empty()) << "which a damaged row may show as well";
  EXPECT_EQ(one.diagnostics.count(Finding::kClockOutlierOfRanks), 1U);
}

TEST(Clock, OfEachDeviceIsCorrectedApart) {
  const Recorded right{offset(0), false, 0, 1}, wrong{offset(40'000), false, 1, 100'000};
  Lines events = TrainingLoop(right).events();
  const Lines more = TrainingLoop(wrong).events();
  events.insert(events.end(), more.begin(), more.end());
  const Corrected corrected(events);
  ASSERT_EQ(corrected.clocks.size(), 1U);
  EXPECT_EQ(corrected.clocks[0].device, 1);
  for (std::size_t row = 0; row < corrected.recorded_starts.size(); ++row) {
    const bool is_moved = corrected.trace.rows.device[row] == 1;
    EXPECT_EQ(corrected.recorded_starts[row] - corrected.start(row),
              is_moved ? 40'000 + kMiddle : 0);
  }
}

TEST(Clock, OfDevicesIsOneWhereNoneContradictsThat) {
  const auto rows_of_second = [](Ns queued) {
    Lines events = TrainingLoop({offset(9'000)}).events();
    for (int i = 0; i < 3; ++i) {
      const double begin = 1000.0 * (i + 1) + 600;
      events.push_back(call("cudaLaunchKernel", begin, 5, 100'000 + i));
      events.push_back(
          event("kernel", "k", begin + static_cast<double>(queued + 9'000) / 1000, 50,
                R"("pid": 1, "tid": 7)",
                fmt::format(R"("device": 1, "context": 2, "stream": 7, "correlation": {})",
                            100'000 + i)));
    }
    return Corrected(events);
  };
  const Corrected moved = rows_of_second(50'000);
  ASSERT_EQ(moved.clocks.size(), 2U);
  EXPECT_EQ(moved.clocks[1].offset_ns, moved.clocks[0].offset_ns);
  EXPECT_EQ(moved.clocks[1].asked_by, moved.clocks[0].asked_by);
  EXPECT_EQ(moved.recorded_starts.back() - moved.start(moved.recorded_starts.size() - 1),
            9'000 + kMiddle);
  EXPECT_EQ(rows_of_second(-8'900).clocks.size(), 1U) << "rows would begin before their launches";
}

TEST(Clock, OfADeviceThatNoCallSaysAnythingAboutIsThatOfTheOthers) {
  Lines events = TrainingLoop({offset(9'000)}).events();
  events.push_back(event("kernel", "k", 1'000, 50, R"("pid": 1, "tid": 7)",
                         R"("device": 1, "context": 2, "stream": 7, "correlation": 100000)"));
  const Corrected corrected(events);
  ASSERT_EQ(corrected.clocks.size(), 2U);
  EXPECT_EQ(corrected.clocks[1].device, 1);
  EXPECT_EQ(corrected.clocks[1].offset_ns, corrected.clocks[0].offset_ns);
  EXPECT_EQ(corrected.clocks[1].bounds, 0U);
}

/// Three calls far apart, each with what seems to contradict it.
Lines three_times(const std::function<Lines(double at, int correlation)>& events) {
  Lines all;
  for (int i = 0; i < 3; ++i)
    for (const std::string& line : events(1000.0 * i + 1, 100 * i + 11)) all.push_back(line);
  return all;
}

std::string memcpy_row(const char* direction, double ts, double dur, int correlation) {
  return row(std::string("Memcpy ") + direction, ts, dur, correlation, 7, "", "gpu_memcpy");
}

TEST(ClockBounds, ComeFromWhatBlocksOnly) {
  const auto is_bound = [](const std::function<Lines(double, int)>& events) {
    return !Corrected(three_times(events)).clocks.empty();
  };
  const auto after_launch = [&](const std::function<Lines(double, int)>& waits) {
    return is_bound([&](double at, int id) {
      Lines events = waits(at, id);
      events.push_back(launch(at, 1, id));
      events.push_back(row("k", at + 12, 20, id));
      return events;
    });
  };
  EXPECT_TRUE(after_launch([](double at, int id) {
    return Lines{call("cudaStreamSynchronize", at + 5, 20, id + 1),
                 sync("Stream Sync", at + 5, id + 1, 7)};
  }));
  EXPECT_TRUE(after_launch([](double at, int id) {
    return Lines{call("cudaEventRecord", at + 2, 1, id + 1),
                 call("cudaEventSynchronize", at + 5, 20, id + 2),
                 sync("Event Sync", at + 5, id + 2, -1,
                      fmt::format(R"("wait_on_stream": 7, )"
                                  R"("wait_on_cuda_event_record_corr_id": {})",
                                  id + 1))};
  }));
  EXPECT_TRUE(after_launch(
      [](double at, int id) { return Lines{call("cudaDeviceSynchronize", at + 5, 20, id + 1)}; }));
  EXPECT_TRUE(is_bound([](double at, int id) {
    return Lines{call("cudaMemcpy", at, 20, id),
                 memcpy_row("DtoH (Device -> Pinned)", at + 5, 20, id)};
  }));
  EXPECT_TRUE(is_bound([](double at, int id) {
    return Lines{call("cudaMemcpyAsync", at, 20, id),
                 memcpy_row("DtoH (Device -> Pageable)", at + 5, 20, id)};
  }));

  EXPECT_FALSE(after_launch([](double at, int id) {  // another stream
    return Lines{call("cudaStreamSynchronize", at + 5, 20, id + 1),
                 sync("Stream Sync", at + 5, id + 1, 9)};
  }));
  EXPECT_FALSE(after_launch([](double at, int id) {  // begins before the launch returns
    return Lines{call("cudaStreamSynchronize", at + 0.5, 24, id + 1),
                 sync("Stream Sync", at + 0.5, id + 1, 7)};
  }));
  EXPECT_FALSE(after_launch([](double at, int id) {  // recorded before the launch
    return Lines{call("cudaEventRecord", at - 1, 0.5, id + 1),
                 call("cudaEventSynchronize", at + 5, 20, id + 2),
                 sync("Event Sync", at + 5, id + 2, -1,
                      fmt::format(R"("wait_on_stream": 7, )"
                                  R"("wait_on_cuda_event_record_corr_id": {})",
                                  id + 1))};
  }));
  EXPECT_FALSE(after_launch([](double at, int id) {
    return Lines{call("cudaEventQuery", at + 5, 20, id + 1),
                 sync("Stream Sync", at + 5, id + 1, 7)};
  }));
  EXPECT_FALSE(after_launch([](double at, int id) {
    return Lines{call("cudaStreamBeginCapture", at + 2, 1, id + 1),
                 call("cudaStreamSynchronize", at + 5, 20, id + 2),
                 sync("Stream Sync", at + 5, id + 2, 7),
                 call("cudaStreamEndCapture", at + 30, 1, id + 3)};
  }));
  EXPECT_FALSE(
      after_launch([](double at, int id) { return Lines{call("cudaFree", at + 5, 20, id + 1)}; }));
  EXPECT_FALSE(after_launch([](double at, int id) {
    return Lines{call("hipStreamSynchronize", at + 5, 20, id + 1),
                 sync("Stream Sync", at + 5, id + 1, 7)};
  }));
  EXPECT_FALSE(is_bound([](double at, int id) {
    return Lines{call("cudaMemcpyAsync", at, 20, id),
                 memcpy_row("DtoH (Device -> Pinned)", at + 5, 60, id)};
  }));
  EXPECT_FALSE(is_bound([](double at, int id) {
    return Lines{call("cudaMemcpy", at, 20, id),
                 memcpy_row("HtoD (Pageable -> Device)", at + 5, 60, id)};
  }));
}

TEST(ClockBounds, OfPageableCopiesCountWhereTheyAgree) {
  const auto corrections = [](double more) {
    Lines events;
    for (int i = 0; i < 10; ++i) {
      const double at = 1000.0 * i + 1, late = i % 2 == 0 ? 0 : more;
      events.push_back(call("cudaMemcpyAsync", at, 20, i + 1));
      events.push_back(memcpy_row("DtoH (Device -> Pageable)", at + 16, 9 + late, i + 1));
    }
    return Corrected(events).clocks.size();
  };
  EXPECT_EQ(corrections(10), 1U);
  EXPECT_EQ(corrections(200), 0U);
}

TEST(ClockBounds, FromAboveNeedALaunchThatOneCallAloneHas) {
  const auto corrections = [](const Lines& more) {
    Lines events = three_times([](double at, int id) {
      return Lines{launch(at + 10, 1, id), row("k", at + 2, 5, id)};
    });
    events.insert(events.end(), more.begin(), more.end());
    return Corrected(events).clocks.size();
  };
  EXPECT_EQ(corrections({}), 1U);
  EXPECT_EQ(corrections({launch(3000, 1, 11), launch(3010, 1, 111), launch(3020, 1, 211)}), 0U);
}

TEST(ClockBounds, OfGraphLaunchesComeFromContextsOnly) {
  const auto corrections = [](const char* kind, int stream) {
    return Corrected(three_times([&](double at, int id) {
             return Lines{call("cudaGraphLaunch", at, 2, id), row("k", at + 12, 20, id),
                          call("cudaStreamSynchronize", at + 5, 20, id + 1),
                          sync(kind, at + 5, id + 1, stream)};
           }))
        .clocks.size();
  };
  EXPECT_EQ(corrections("Stream Sync", 7), 0U);
  EXPECT_EQ(corrections("Context Sync", -1), 1U);
}

TEST(Clock, MovesTheDeviceEndsOfFlowsWithTheirRows) {
  TrainingLoop loop(Recorded{offset(40'000)});
  Lines events = loop.events();
  const auto flow_end = [](char phase, int pid, int tid, double ts) {
    return fmt::format(R"({{"ph": "{}", "id": 9000, "pid": {}, "tid": {}, "ts": {}, )"
                       R"("cat": "ac2g", "name": "ac2g"}})",
                       phase, pid, tid, ts);
  };
  events.push_back(flow_end('s', 1, 100, 300));
  events.push_back(row("of a lost call", 350, 10, 9001));
  events.push_back(flow_end('f', 0, 7, 350));
  const LinkedTrace linked = link(events);
  ASSERT_EQ(linked.clocks.size(), 1U);
  EXPECT_EQ(linked.rows.evidence.back(), LinkEvidence::kFlow);
  EXPECT_EQ(linked.rows.launch_ns.back(), 300'000);
  EXPECT_EQ(linked.device.rows.start_ns.back(), 350'000 - 40'000 - kMiddle);
  EXPECT_EQ(linked.device.first_ns, linked.device.rows.start_ns.back());
}

}  // namespace
}  // namespace nadi
