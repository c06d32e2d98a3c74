// Numbers as ranges, for messages: "0-3, 7".
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace nadi {

/// Ascending numbers; of very many ranges the first 16 and how many more numbers there are.
inline std::string range_text(std::span<const std::int64_t> numbers) {
  constexpr int kMostRanges = 16;
  std::string text;
  int ranges = 0;
  for (std::size_t first = 0, end = 0; first < numbers.size(); first = end) {
    end = first + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    if (ranges++ == kMostRanges)
      return text + " and " + std::to_string(numbers.size() - first) + " more";
    text += (text.empty() ? "" : ", ") + std::to_string(numbers[first]);
    if (end > first + 1) text += "-" + std::to_string(numbers[end - 1]);
  }
  return text;
}

}  // namespace nadi
