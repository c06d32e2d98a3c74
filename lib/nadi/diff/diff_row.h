// A row of a diff: what one key adds up to on both sides, and whether the difference is more than
// noise.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nadi/diff/diff_summary.h"

namespace nadi {

/// The change in the number of a key's rows per sample; with as many samples on both sides it is
/// the group of HTA's ops_diff.
enum class CountChange : std::uint8_t { kAdded, kDeleted, kIncreased, kDecreased, kSameCount };
inline constexpr std::size_t kCountChanges = 5;
/// "added", "deleted", "increased", "decreased", "same count".
std::string_view to_string(CountChange change);
/// Returns HTA's name of the group: "unchanged" for "same count".
std::string_view hta_group(CountChange change);

/// Says whether a duration changed: see judge().
enum class Verdict : std::uint8_t {
  kUnknown,      ///< one sample on each side: the spread is unknown
  kWithinNoise,  ///< the difference does not exceed the spread
  kSignificant,
};

/// One side of a row. Mean and deviation are of the values of one sample (an iteration of a rank),
/// see DiffSummary::of_means.
struct DiffSide {
  std::uint64_t count = 0;
  Ns duration_ns = 0;
  std::uint64_t samples = 0;  ///< in which the key occurs; 0 = the side does not have it
  double mean_count = 0, mean_ns = 0;
  double deviation_ns = 0;  ///< standard deviation (n - 1); 0 of a single sample
};

struct DiffRow {
  std::string key;
  DiffSide control, test;
  CountChange change = CountChange::kSameCount;
  Verdict verdict = Verdict::kUnknown;
  double spread_ns = 0;  ///< what the difference of the means must exceed to be significant

  std::int64_t diff_count() const;  ///< test - control
  Ns diff_ns() const;               ///< test - control
  double diff_mean_ns() const { return test.mean_ns - control.mean_ns; }
};

/// Returns one side of a row: a key's totals over so many samples.
DiffSide side_of(const KeyTotals& totals, std::uint64_t samples);

/// Fills change, spread and verdict. The spread is 2 * sqrt(s_control^2 + s_test^2), s the standard
/// deviations over samples; a side of one sample is given the other's. The row is significant if
/// the means differ by more.
void judge(DiffRow& row, std::uint64_t control_samples, std::uint64_t test_samples);

/// Test minus control: a row per key that occurs on one side or on both; those of control by key
/// (bytes ascending), then those only test has, which is the order of HTA's tables. `times` says
/// which times; the keys and their order are the same for both.
std::vector<DiffRow> subtract(const DiffSummary& control, std::uint64_t control_samples,
                              const DiffSummary& test, std::uint64_t test_samples,
                              std::vector<KeyTotals> DiffSummary::*times = &DiffSummary::totals);

}  // namespace nadi
