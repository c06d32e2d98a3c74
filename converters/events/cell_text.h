// Values of event tables as text, appended to a buffer.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "nadi/base/time.h"

namespace nadi {

template <class Number>
void append_number(Number number, std::string& out) {
  char digits[32];
  const auto result = std::to_chars(digits, digits + sizeof digits, number);
  out.append(digits, result.ptr);
}

/// The number and what stands behind it.
template <class Number>
void append_number(Number number, char behind, std::string& out) {
  char digits[32];
  char* const end = std::to_chars(digits, digits + sizeof digits - 1, number).ptr;
  *end = behind;
  out.append(digits, end + 1);
}

/// Bytes that a number or a time needs at most.
inline constexpr std::size_t kMostNumber = 32;

/// Nanoseconds as microseconds: "12", "12.345". Writes at most kMostNumber bytes, gives their end.
inline char* write_micros(Ns ns, char* at) {
  if (ns < 0) *at++ = '-';
  const auto size = ns < 0 ? -static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
  at = std::to_chars(at, at + kMostNumber - 1, size / 1000).ptr;
  const auto rest = static_cast<unsigned>(size % 1000);
  if (rest == 0) return at;
  *at++ = '.';
  for (const unsigned digit : {rest / 100, rest / 10 % 10, rest % 10})
    *at++ = static_cast<char>('0' + digit);
  return at;
}

inline void append_micros(Ns ns, std::string& out) {
  char text[kMostNumber];
  out.append(text, write_micros(ns, text));
}

/// The double that is next to what write_micros() writes.
inline double micros_of(Ns ns) {
  constexpr Ns kMostExact = Ns{1} << 53;
  if (-kMostExact <= ns && ns <= kMostExact) return static_cast<double>(ns) / 1000;
  const Ns whole = ns / 1000;
  if (whole * 1000 == ns) return static_cast<double>(whole);
  char text[kMostNumber];
  double micros = 0;
  std::from_chars(text, write_micros(ns, text), micros);
  return micros;
}

/// True for text that is a whole number as a program would write it: "0", "-7", up to 18 digits.
inline bool is_plain_integer(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && text.size() <= 18 && (text.front() != '0' || text.size() == 1) &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// True where a cell of CSV must be quoted.
inline bool needs_csv_quotes(std::string_view text) {
  return text.find_first_of(",\"\n\r") != std::string_view::npos;
}

/// A cell of CSV (RFC 4180), quoted where it must be.
inline void append_csv_text(std::string_view text, std::string& out) {
  if (!needs_csv_quotes(text)) {
    out += text;
    return;
  }
  out.push_back('"');
  for (std::size_t quote; (quote = text.find('"')) != std::string_view::npos;
       text.remove_prefix(quote + 1)) {
    out.append(text.substr(0, quote + 1));
    out.push_back('"');
  }
  out += text;
  out.push_back('"');
}

}  // namespace nadi
