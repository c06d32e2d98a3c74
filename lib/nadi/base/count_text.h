// Counts, for messages: "1 op", "928 ops", "1,000,000".
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
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

/// "a, b and 3 more": the first `most` of the items, and how many others there are.
template <class Items, class Text = std::identity>
std::string first_of_list(const Items& items, std::size_t most, const Text& text = {}) {
  std::string list;
  std::size_t count = 0;
  for (const auto& item : items)
    if (count++ < most) list += (list.empty() ? "" : ", ") + std::string(std::invoke(text, item));
  return count > most ? list + " and " + std::to_string(count - most) + " more" : list;
}

/// "a, b, c".
template <class Items, class Text = std::identity>
std::string list_of(const Items& items, const Text& text = {}) {
  return first_of_list(items, std::numeric_limits<std::size_t>::max(), text);
}

}  // namespace nadi
