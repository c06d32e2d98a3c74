// Numbers and ranges of numbers as people write them: "3,5-7".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nadi {

/// From first to last, both included; 0 <= first <= last < 2^31.
struct NumberRange {
  std::int32_t first = 0, last = 0;

  bool holds(std::int64_t number) const { return first <= number && number <= last; }
  /// "3" or "5-7".
  std::string text() const;
  friend bool operator==(const NumberRange&, const NumberRange&) = default;
};

/// Nothing for text that is something else.
std::optional<std::vector<NumberRange>> parse_number_ranges(std::string_view text);

bool holds(const std::vector<NumberRange>& ranges, std::int64_t number);

}  // namespace nadi
