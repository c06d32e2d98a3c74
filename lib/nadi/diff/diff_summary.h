// Totals by key, added up sample by sample: what a diff subtracts.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "nadi/base/string_table.h"
#include "nadi/base/time.h"

namespace nadi {

/// One iteration of one rank: the unit over which spread is measured.
struct DiffSample {
  std::int64_t rank = 0;
  std::int32_t iteration = -1;  ///< N of ProfilerStep#N; -1 = the trace has none

  friend bool operator==(const DiffSample&, const DiffSample&) = default;
};

/// a + b, kept within -max to max of int64, so that it can be negated: traces come from strangers.
Ns add_times(Ns a, Ns b);

/// The totals of the rows of one key.
struct KeyTotals {
  std::uint64_t count = 0;    ///< rows; 0 = the key does not occur
  Ns duration_ns = 0;         ///< sum over the rows
  std::uint64_t samples = 0;  ///< in which it occurs
  double mean_ns = 0;         ///< of the values of those samples: their sums, or means of rows
  double squares_ns2 = 0;     ///< sum of squared distances from mean_ns, over those samples

  /// Adds a sample with its sums, and with the value that means are of (Welford's method).
  void add_sample(std::uint64_t rows, Ns sum_ns, double value_ns);
  void add_sample(std::uint64_t rows, Ns sum_ns) {
    add_sample(rows, sum_ns, static_cast<double>(sum_ns));
  }
};

/// The totals of all rows chosen.
struct AllRows {
  KeyTotals work;       ///< each moment of a thread once, and the time of device rows: see OwnTimes
  KeyTotals inclusive;  ///< times of calls with all they call, so that nested times count again
};

struct DiffSummary {
  StringTable keys;
  std::vector<KeyTotals> totals;  ///< by id of the key; keys without totals may lie behind the end
  std::vector<KeyTotals> own;     ///< the same of own times; empty of what has none
  /// A sample's value is the mean of its rows, and samples without rows have none; else it is their
  /// sum, and that of samples without rows zero.
  bool of_means = false;
};

/// The sums of the sample that is being read.
class SampleSums {
 public:
  void add(StringId key, Ns duration_ns, std::uint64_t rows = 1);
  /// Adds them to the totals of the keys from 0 to `keys`, and starts the next sample.
  void fold_into(std::vector<KeyTotals>& totals, std::size_t keys, bool of_means = false);
  void fold_into(DiffSummary& summary) {
    fold_into(summary.totals, summary.keys.size(), summary.of_means);
  }

 private:
  struct Sum {
    std::uint64_t rows = 0;
    Ns duration_ns = 0;
    bool is_used = false;
  };
  std::vector<Sum> sums_;  // by key
  std::vector<StringId> used_;
};

/// The sums over all rows chosen of the sample that is being read.
class AllRowsSums {
 public:
  void add(Ns work_ns, Ns inclusive_ns);
  /// Adds them to the totals, and starts the next sample.
  void fold_into(AllRows& all);

 private:
  std::uint64_t rows_ = 0;
  Ns work_ns_ = 0, inclusive_ns_ = 0;
};

}  // namespace nadi
