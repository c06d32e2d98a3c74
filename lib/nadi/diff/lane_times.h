// Measures what rows do not show: how long iterations took, busy and idle time of devices and
// streams, launch latency, gaps of host threads.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "nadi/diff/device_times.h"
#include "nadi/diff/diff_summary.h"
#include "nadi/diff/table_rows.h"

namespace nadi {

enum class LaneMeasure : std::uint8_t {
  kIteration,      ///< length of ProfilerStep#N
  kDeviceBusy,     ///< of the iteration, the time in which any row of a device runs
  kDeviceIdle,     ///< the rest of the iteration
  kStreamIdle,     ///< between the first and the last row of a stream, what no row covers
  kLaunchLatency,  ///< from the begin of a call to the begin of the first row it launched
  kHostGaps,       ///< between the first and the last op or call of a thread, what none covers
};
inline constexpr std::size_t kLaneMeasures = 6;
/// "iteration", "device busy", "device idle", "stream idle", "launch latency", "host gaps".
std::string_view to_string(LaneMeasure measure);

/// The measures that a diff shows before all else; the first of the enumeration.
inline constexpr std::array kHeadlineMeasures{LaneMeasure::kIteration, LaneMeasure::kDeviceBusy,
                                              LaneMeasure::kDeviceIdle};

/// A summary per measure. Keys are lanes: "device", "stream 7", "main thread"; counts are gaps,
/// launches, or iterations; times are their sums. Of launches the mean is of one launch, not of a
/// sample's sum.
using LaneSummaries = std::array<DiffSummary, kLaneMeasures>;

class ThreadNames;
using NamedThreadIndex = Index<ThreadNames>;

/// Names of the host threads of a table that mean the same in every run: "main thread" (with the
/// steps, else with most rows), "backward thread" (of the others the one with most of autograd's
/// ops), "thread 3" and so on by the number of rows.
class ThreadNames {
 public:
  explicit ThreadNames(const TableRows& rows);

  /// The row's thread; rows of device lanes have none.
  NamedThreadIndex thread(EventRowIndex row) const;
  const std::string& name(NamedThreadIndex thread) const { return threads_[thread].name; }
  std::size_t size() const { return threads_.size(); }

 private:
  struct Thread {
    StringId pid{}, tid{};
    std::uint64_t rows = 0, steps = 0, autograd = 0;
    std::string name;
  };
  static std::uint64_t id_of(StringId pid, StringId tid) {
    return static_cast<std::uint64_t>(pid) << 32 | static_cast<std::uint64_t>(tid);
  }
  void count_rows();
  void give_names();

  const TableRows& rows_;
  ByRow<ThreadNames, Thread> threads_;                             // most rows first
  std::unordered_map<std::uint64_t, NamedThreadIndex> thread_of_;  // by id_of()
};

/// Measures the iterations of one table.
class LaneTimes {
 public:
  LaneTimes(const TableRows& rows, const ThreadNames& threads, const DeviceTimes& devices,
            LaneSummaries& summaries)
      : rows_(rows), threads_(threads), devices_(devices), summaries_(summaries) {
    summary(LaneMeasure::kLaunchLatency).of_means = true;
  }

  /// Adds one iteration as one sample.
  void add(const IterationRows& iteration);

 private:
  struct Span {
    StringId lane;
    Ns start_ns, end_ns;
  };
  void add_gaps(std::vector<Span>& spans, LaneMeasure measure);
  void add_devices(const IterationRows& iteration);
  void add_streams(const IterationRows& iteration);
  void add_threads(const IterationRows& iteration);
  void add_launch(EventRowIndex call);
  DiffSummary& summary(LaneMeasure measure) {
    return summaries_[static_cast<std::size_t>(measure)];
  }
  SampleSums& sums(LaneMeasure measure) { return sums_[static_cast<std::size_t>(measure)]; }

  const TableRows& rows_;
  const ThreadNames& threads_;
  const DeviceTimes& devices_;
  LaneSummaries& summaries_;
  std::array<SampleSums, kLaneMeasures> sums_;
};

}  // namespace nadi
