// Conditions under which a diff is a failure: "duration>5%,added>0".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nadi {

enum class DiffQuantity : std::uint8_t {
  kDuration,           ///< change of the mean of DiffReport::total
  kInclusiveDuration,  ///< of DiffReport::inclusive_total
  kCount,              ///< change of the total's mean count
  kAdded,              ///< rows that only test has, and so on: see CountChange
  kDeleted,
  kIncreased,
  kDecreased,
  kSlower,       ///< significant rows that take longer
  kFaster,       ///< significant rows that take less
  kRowDuration,  ///< change of a row's mean; rows within noise do not count
  kRowCount,     ///< change of a row's mean count
  kIteration,    ///< change of the mean iteration: see LaneMeasure
  kDeviceBusy,   ///< of the time in which the devices work, per sample
  kDeviceIdle,   ///< of the time in which they do not
  kIdle,         ///< of the idle time of all streams, per sample
  kLatency,      ///< of the mean launch latency
  kGaps,         ///< of the gaps of all host threads, per sample
};

enum class Comparison : std::uint8_t { kMore, kAtLeast, kLess, kAtMost, kEqual, kUnequal };
enum class DiffUnit : std::uint8_t { kNumber, kPercent, kNs };

struct FailCondition {
  std::string text;  ///< as written
  DiffQuantity quantity{};
  Comparison comparison{};
  double value = 0;  ///< in the unit
  DiffUnit unit = DiffUnit::kNumber;
};

/// Conditions separated by commas: a quantity, one of > >= < <= = !=, and a number, of durations
/// with % (of control), ns, us, ms or s; of counts alone or with %. Changes are test - control of
/// the means per sample. Throws Error(kUsage) that lists the quantities there are.
std::vector<FailCondition> parse_fail_if(std::string_view text);

/// The names of all quantities with what they say, for a help text.
std::string fail_if_help();

}  // namespace nadi
