#include "nadi/record/append_json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace nadi::record {
namespace {

template <class T>
void append_digits(std::string& text, T value) {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  text.append(digits.data(), end);
}

bool is_plain(unsigned char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; }

/// Bytes of the UTF-8 sequence at `at`; 0 = it is none (Unicode 15, table 3-7).
std::size_t utf8_size(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
  };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xc0U) == 0x80U; };
  const unsigned first = byte(0), second = byte(1);
  if (first >= 0xc2 && first <= 0xdf) return follows(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const bool is_overlong = first == 0xe0 && second < 0xa0;
    const bool is_surrogate = first == 0xed && second > 0x9f;
    return follows(1) && follows(2) && !is_overlong && !is_surrogate ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const bool is_overlong = first == 0xf0 && second < 0x90;
    const bool is_beyond = first == 0xf4 && second > 0x8f;
    return follows(1) && follows(2) && follows(3) && !is_overlong && !is_beyond ? 4 : 0;
  }
  return 0;
}

void append_escaped(std::string& text, unsigned char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  switch (c) {
    case '"':
      text += "\\\"";
      break;
    case '\\':
      text += "\\\\";
      break;
    case '\n':
      text += "\\n";
      break;
    case '\t':
      text += "\\t";
      break;
    case '\r':
      text += "\\r";
      break;
    default:
      text += "\\u00";
      text += kHex[c >> 4U];
      text += kHex[c & 0xfU];
  }
}

}  // namespace

void append_number(std::string& text, std::int64_t value) { append_digits(text, value); }
void append_number(std::string& text, std::uint64_t value) { append_digits(text, value); }

void append_real(std::string& text, double value) {
  if (std::isfinite(value)) return append_digits(text, value);
  text += std::isnan(value) ? "\"nan\"" : value > 0 ? "\"inf\"" : "\"-inf\"";
}

void append_microseconds(std::string& text, Ns value) {
  const bool is_negative = value < 0;
  const auto size =
      is_negative ? ~static_cast<std::uint64_t>(value) + 1 : static_cast<std::uint64_t>(value);
  if (is_negative) text += '-';
  append_digits(text, size / 1000);
  const auto rest = static_cast<unsigned>(size % 1000);
  text += '.';
  for (const unsigned digit : {rest / 100, rest / 10 % 10, rest % 10})
    text += static_cast<char>('0' + digit);
}

void append_string(std::string& text, std::string_view value) {
  text += '"';
  for (std::size_t at = 0; at < value.size();) {
    std::size_t end = at;
    while (end < value.size() && is_plain(static_cast<unsigned char>(value[end]))) ++end;
    text.append(value, at, end - at);
    at = end;
    if (at == value.size()) break;
    const auto c = static_cast<unsigned char>(value[at]);
    const std::size_t size = c < 0x80 ? 1 : utf8_size(value, at);
    if (c < 0x80) {
      append_escaped(text, c);
    } else if (size > 0) {
      text.append(value, at, size);
    } else {
      text += "\xef\xbf\xbd";
    }
    at += size == 0 ? 1 : size;
  }
  text += '"';
}

std::string list_text(const std::vector<std::int64_t>& list, std::size_t most) {
  std::string text = "[";
  for (std::size_t i = 0; i < std::min(list.size(), most); ++i) {
    if (i > 0) text += ", ";
    append_number(text, list[i]);
  }
  return text + (list.size() > most ? ", ...]" : "]");
}

}  // namespace nadi::record
