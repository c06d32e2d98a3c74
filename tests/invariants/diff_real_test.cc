// Diffs of real traces equal those of HTA's TraceDiff (facebookresearch/HolisticTraceAnalysis).
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "nadi/converters/diff/diff.h"
#include "nadi/converters/diff/write_diff_csv.h"
#include "nadi/converters/diff/write_diff_json.h"
#include "nadi/diff/side_summary.h"
#include "tests/file_bytes.h"

namespace nadi {
namespace {

std::string file(const std::string& name) {
  return std::string(NADI_SHARED_TRACES) + "/trace-diff/" + name;
}

class DiffsOfHta : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(file("control.json.gz")))
      GTEST_SKIP() << "no real traces beside this repository";
  }
  static DiffReport diff(const DiffChoice& choice) {
    return diff_traces({{file("control.json.gz")}}, {{file("test.json.gz")}}, choice);
  }
};

/// HTA's tables are of floating point: "2.0" is our "2".
std::string without_fraction(std::string csv) {
  for (std::size_t at; (at = csv.find(".0,")) != std::string::npos;) csv.erase(at, 2);
  return csv;
}

std::string csv_of(const DiffReport& report) {
  std::string text;
  write_diff_csv(report, [&](std::string_view bytes) { text += bytes; });
  return text;
}

TEST_F(DiffsOfHta, OfFullNamesAreEqual) {
  EXPECT_EQ(csv_of(diff({})),
            without_fraction(read_file(file("expected.first-iteration.all.full-names.csv"))));
}

TEST_F(DiffsOfHta, OfShortNamesOfHostRowsAreEqual) {
  EXPECT_EQ(csv_of(diff({.device = DiffDevice::kHost, .by = DiffBy::kShortName})),
            without_fraction(read_file(file("expected.first-iteration.host.short-names.csv"))));
}

TEST_F(DiffsOfHta, HaveTheSameFiveGroups) {
  std::string text;
  write_diff_json(diff({}), {}, [&](std::string_view bytes) { text += bytes; });
  const auto groups = nlohmann::json::parse(text).at("ops_diff");
  const auto expected =
      nlohmann::json::parse(read_file(file("expected.ops-diff.first-iteration.all.json")));
  ASSERT_EQ(expected.size(), 5u);
  for (const auto& [group, names] : expected.items()) EXPECT_EQ(groups.at(group), names) << group;
}

/// Microseconds that any of some rows covers, marked one by one: the trace's stamps are whole.
class MarkedMicros {
 public:
  MarkedMicros(Ns start_ns, Ns end_ns)
      : start_ns_(start_ns), marked_(static_cast<std::size_t>((end_ns - start_ns) / 1000)) {}
  void mark(Ns start_ns, Ns end_ns) {
    for (Ns at = start_ns; at < end_ns; at += 1000)
      if (const Ns place = (at - start_ns_) / 1000; at >= start_ns_ && place < size())
        marked_[static_cast<std::size_t>(place)] = true;
  }
  Ns size() const { return static_cast<Ns>(marked_.size()); }
  Ns count() const { return std::count(marked_.begin(), marked_.end(), true); }

 private:
  Ns start_ns_;
  std::vector<bool> marked_;
};

/// The times of a side's iterations, counted over the raw rows.
struct CountedTimes {
  Ns iterations_us = 0, busy_us = 0, idle_us = 0, work_us = 0;
};

class RawRows {
 public:
  explicit RawRows(const std::string& path) {
    ByteSource source = ByteSource::open(path);
    Diagnostics diagnostics;
    table_ = read_event_table(source, table_options({}), diagnostics);
    for (const EventRowIndex row : rows_of(table_))
      if (text(table_.name[row]).starts_with("ProfilerStep#") && is_of(row, {"user_annotation"}))
        steps_.push_back(row);
  }

  CountedTimes count() const {
    CountedTimes times;
    for (const EventRowIndex step : steps_) {
      MarkedMicros device(table_.ts_ns[step], table_.end_ns(step));
      std::map<StringId, MarkedMicros> threads;
      for (const EventRowIndex row : rows_of(table_)) {
        const bool is_inside = table_.iteration[row] == table_.iteration[step];
        if (is_of(row, {"kernel", "gpu_memcpy", "gpu_memset"})) {
          device.mark(table_.ts_ns[row], table_.end_ns(row));
          if (is_inside) times.work_us += table_.dur_ns[row] / 1000;
        }
        if (is_inside && is_of(row, {"cpu_op", "cuda_runtime"}))
          threads.try_emplace(table_.tid[row], table_.ts_ns[step], table_.end_ns(step) + kBehind)
              .first->second.mark(table_.ts_ns[row], table_.end_ns(row));
      }
      times.iterations_us += device.size();
      times.busy_us += device.count();
      times.idle_us += device.size() - device.count();
      for (const auto& [thread, marked] : threads) times.work_us += marked.count();
    }
    return times;
  }

 private:
  static constexpr Ns kBehind = 100'000'000;  // ops may end behind their step

  std::string_view text(StringId id) const { return table_.strings[id]; }
  bool is_of(EventRowIndex row, std::initializer_list<std::string_view> categories) const {
    return std::find(categories.begin(), categories.end(), text(table_.cat[row])) !=
           categories.end();
  }

  EventTable table_;
  std::vector<EventRowIndex> steps_;
};

TEST_F(DiffsOfHta, SayOfIterationsAndDevicesWhatAreCountedOverTheRawRows) {
  const DiffReport report = diff_traces({{file("control.json.gz")}, "first", {}},
                                        {{file("test.json.gz")}, "first", {}}, {});
  const CountedTimes control = RawRows(file("control.json.gz")).count();
  const CountedTimes test = RawRows(file("test.json.gz")).count();
  const auto expect = [](const std::vector<DiffRow>& rows, Ns control_us, Ns test_us) {
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].control.duration_ns, control_us * 1000) << rows[0].key;
    EXPECT_EQ(rows[0].test.duration_ns, test_us * 1000) << rows[0].key;
  };
  const auto lanes = [&report](LaneMeasure measure) {
    return report.lanes[static_cast<std::size_t>(measure)];
  };
  EXPECT_EQ(control.iterations_us, 464'945);
  expect(lanes(LaneMeasure::kIteration), control.iterations_us, test.iterations_us);
  expect(lanes(LaneMeasure::kDeviceBusy), control.busy_us, test.busy_us);
  expect(lanes(LaneMeasure::kDeviceIdle), control.idle_us, test.idle_us);
  expect({report.total}, control.work_us, test.work_us);
}

TEST_F(DiffsOfHta, PairTheStreamsThatCarryTheSameRows) {
  std::vector<std::string> streams;
  for (const DiffRow& row : diff({.by = DiffBy::kStream}).rows) streams.push_back(row.key);
  // Read off the traces: copies to the host, NCCL, copies from the host, the model's kernels.
  EXPECT_EQ(streams, (std::vector<std::string>{"stream 20 => stream 14", "stream 21 => stream 15",
                                               "stream 22 => stream 16", "stream 7"}));
}

}  // namespace
}  // namespace nadi
