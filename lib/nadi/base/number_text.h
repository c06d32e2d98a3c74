// Numbers from text.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace nadi {

/// The number that the whole text is; nothing where it is none, or does not fit.
template <class Number>
std::optional<Number> number_of_text(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// The number at the front of the text, which is taken off; nothing, and none taken, where it
/// begins with none, or the number does not fit.
template <class Number>
std::optional<Number> number_at_front(std::string_view& text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

/// The numbers of "[0, 1]", none of which is negative; nothing where the text is cut ("[0, 1,
/// ...]") or is no list of such numbers.
inline std::optional<std::vector<std::int64_t>> numbers_of_list(std::string_view text) {
  if (text.size() < 2 || !text.starts_with('[') || !text.ends_with(']')) return std::nullopt;
  std::vector<std::int64_t> numbers;
  text = text.substr(1, text.size() - 2);
  while (!text.empty()) {
    if (text.front() == ' ' || text.front() == ',') {
      text.remove_prefix(1);
      continue;
    }
    const auto number = number_at_front<std::int64_t>(text);
    if (!number || *number < 0) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

}  // namespace nadi
