// Counts, for messages: "1 op", "928 ops", "1,000,000".
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace nadi {

/// 1000000 -> "1,000,000".
inline std::string with_commas(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

/// noun: of one; its plural must be made with an s.
std::string count_text(std::integral auto count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace nadi
