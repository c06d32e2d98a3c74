// Small readers of JSON text: tokens to text and numbers, lists to their elements.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nadi {

/// True for the four bytes JSON calls white space.
constexpr bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
/// The first offset from `at` on that is no white space; the text's size = none.
constexpr std::size_t skip_space(std::string_view text, std::size_t at) {
  while (at < text.size() && is_space(text[at])) ++at;
  return at;
}
/// `text` without white space at both ends.
constexpr std::string_view trim(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}
/// The text between the quotes of a string token, escapes as written; other tokens as they are.
constexpr std::string_view unquoted(std::string_view token) {
  const bool is_string = token.size() >= 2 && token.front() == '"' && token.back() == '"';
  return is_string ? token.substr(1, token.size() - 2) : token;
}
/// Text of a string token with its escapes resolved; uses `scratch` only when there are any. A
/// backslash that escapes nothing stays.
std::string_view text_of(std::string_view token, std::string& scratch);
/// True if a backslash in the string token escapes nothing (K7): simdjson looks only when asked.
bool has_bad_escape(std::string_view token);
/// An integer, also when written as a string or with a fraction of zeros; nothing if it is none.
std::optional<std::int64_t> integer_of(std::string_view token);
/// The number of a device, stream, context, event, correlation or rank; -1 for what is none: below
/// 0, or 2^32 - 1, which is -1 as Kineto writes it.
std::int64_t identity_of(std::optional<std::int64_t> number);
std::int64_t identity_of(std::string_view token);
/// As integer_of, for 64-bit unsigned values; negative values give nothing.
std::optional<std::uint64_t> unsigned_of(std::string_view token);
/// Elements of a list as written, without white space around: "[[1, 2], "a"]" -> "[1, 2]", "\"a\"".
/// Tolerates a list that was cut; text that is no list has no elements.
std::vector<std::string_view> elements_of(std::string_view list);

}  // namespace nadi
