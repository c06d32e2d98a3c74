// Microseconds as traces write them, to int64 nanoseconds, without a detour over doubles.
#pragma once

#include <optional>
#include <string_view>

#include "nadi/base/time.h"

namespace nadi {

/// Times of traces lie between 73 years before and 146 years after their zero, so that the
/// difference of two of them and a sum of durations still fit.
inline constexpr Ns kEarliestTime = -(Ns{1} << 61), kLatestTime = Ns{1} << 62;

/// No row is longer: a day. Beyond it is overflow (K8).
inline constexpr Ns kLongestDuration = Ns{24} * 3600 * 1'000'000'000;

/// "1694128201435418", "4458676522690.655", "1.5e3", also quoted -> nanoseconds; the fourth decimal
/// is rounded. Nothing if the token is no number or lies before kEarliestTime or after kLatestTime.
std::optional<Ns> nanoseconds_of(std::string_view microseconds);

/// The start and the duration of a row; kNoTime and 0 where that is not recorded or garbage.
struct RowTime {
  Ns start_ns = kNoTime, duration_ns = 0;

  bool is_known() const { return start_ns != kNoTime; }
};

/// Reads the tokens of a row's start and, unless it is empty, of its duration. Garbage are tokens
/// that are no times and durations below 0 or above kLongestDuration.
RowTime row_time_of(std::string_view start, std::string_view duration);
/// The same of times that are read; nothing = garbage.
RowTime row_time_of(std::optional<Ns> start, std::optional<Ns> duration);

}  // namespace nadi
