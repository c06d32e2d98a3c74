#include "nadi/read/json_text.h"

#include <charconv>

#include "nadi/base/utf8.h"

namespace nadi {
namespace {

std::optional<std::uint32_t> hex4(std::string_view digits) {
  std::uint32_t value = 0;
  if (digits.size() < 4) return std::nullopt;
  const auto result = std::from_chars(digits.data(), digits.data() + 4, value, 16);
  if (result.ptr != digits.data() + 4) return std::nullopt;
  return value;
}

/// Reads "uXXXX" (and the second half of a surrogate pair); gives the bytes used after '\', 0 = it
/// is no such escape.
std::size_t append_unicode(std::string& out, std::string_view escape) {
  const auto high = hex4(escape.substr(1));
  if (!high) return 0;
  const bool is_high = *high >= 0xd800 && *high < 0xdc00;
  if (is_high && escape.substr(5, 2) == "\\u") {
    const auto low = hex4(escape.substr(7));
    if (low && *low >= 0xdc00 && *low < 0xe000) {
      append_utf8(0x10000 + ((*high - 0xd800) << 10) + (*low - 0xdc00), out);
      return 11;
    }
  }
  const bool is_half = *high >= 0xd800 && *high < 0xe000;
  append_utf8(is_half ? kReplacementCharacter : *high, out);
  return 5;
}

/// Resolves the escape at `escape` (after '\'); gives the bytes used, 0 = it is none.
std::size_t append_escape(std::string& out, std::string_view escape) {
  constexpr std::string_view kLetters = "\"\\/bfnrt", kBytes = "\"\\/\b\f\n\r\t";
  if (escape.empty()) return 0;
  if (escape.front() == 'u') return append_unicode(out, escape);
  const std::size_t letter = kLetters.find(escape.front());
  if (letter == std::string_view::npos) return 0;
  out.push_back(kBytes[letter]);
  return 1;
}

/// The usual form: nothing but up to 18 digits.
std::optional<std::int64_t> plain_number(std::string_view token) {
  constexpr std::size_t kMostDigits = 18;
  if (token.empty() || token.size() > kMostDigits) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : token) {
    const auto digit = static_cast<unsigned>(c - '0');
    if (digit > 9) return std::nullopt;
    value = value * 10 + digit;
  }
  return value;
}

template <class Number>
std::optional<Number> number_of(std::string_view token) {
  if (token.empty()) return std::nullopt;
  if (const auto plain = plain_number(token)) return static_cast<Number>(*plain);
  token = trim(unquoted(token));
  Number value = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (error != std::errc()) return std::nullopt;
  std::string_view rest = token.substr(static_cast<std::size_t>(end - token.data()));
  if (rest.starts_with('.')) rest.remove_prefix(1);
  if (rest.find_first_not_of('0') != std::string_view::npos) return std::nullopt;
  return value;
}

/// Offset behind the value that starts at `from`: the next ',' or ']' of this level.
std::size_t end_of_element(std::string_view list, std::size_t from) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = from; i < list.size(); ++i) {
    const char c = list[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      if (depth-- == 0) return i;
    } else if (c == ',' && depth == 0) {
      return i;
    }
  }
  return list.size();
}

}  // namespace

std::string_view text_of(std::string_view token, std::string& scratch) {
  const std::string_view text = unquoted(token);
  const std::size_t first = text.find('\\');
  if (first == std::string_view::npos || text.size() == token.size()) return text;
  scratch.assign(text.substr(0, first));
  for (std::size_t i = first; i < text.size();) {
    const std::size_t used = text[i] == '\\' ? append_escape(scratch, text.substr(i + 1)) : 0;
    if (used == 0) scratch.push_back(text[i]);
    i += 1 + used;
  }
  return scratch;
}

bool has_bad_escape(std::string_view token) {
  const std::string_view text = unquoted(token);
  std::string unused;
  for (std::size_t at = text.find('\\'); at != std::string_view::npos; at = text.find('\\', at)) {
    const std::size_t used = append_escape(unused, text.substr(at + 1));
    if (used == 0) return true;
    at += 1 + used;
  }
  return false;
}

std::optional<std::int64_t> integer_of(std::string_view token) {
  return number_of<std::int64_t>(token);
}

std::int64_t identity_of(std::optional<std::int64_t> number) {
  const std::int64_t value = number.value_or(-1);
  return value < 0 || value == 0xffffffffLL ? -1 : value;
}

std::int64_t identity_of(std::string_view token) { return identity_of(integer_of(token)); }

std::optional<std::uint64_t> unsigned_of(std::string_view token) {
  return number_of<std::uint64_t>(token);
}

std::vector<std::string_view> elements_of(std::string_view list) {
  std::vector<std::string_view> elements;
  list = trim(list);
  if (!list.starts_with('[')) return elements;
  for (std::size_t i = 1; i < list.size();) {
    const std::size_t end = end_of_element(list, i);
    const std::string_view element = trim(list.substr(i, end - i));
    if (!element.empty()) elements.push_back(element);
    if (end >= list.size() || list[end] != ',') break;
    i = end + 1;
  }
  return elements;
}

}  // namespace nadi
