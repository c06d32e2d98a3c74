#include "nadi/base/json_string.h"

#include <array>
#include <charconv>
#include <cstdint>

#include "nadi/base/utf8.h"

namespace nadi {
namespace {

constexpr std::array<bool, 256> kStandsForItself = [] {
  std::array<bool, 256> stands{};
  for (std::size_t c = 0x20; c < 0x7f; ++c) stands[c] = c != '"' && c != '\\';
  return stands;
}();

}  // namespace

bool is_json_number(std::string_view text) {
  const auto digits = [&] {
    std::size_t count = 0;
    while (count < text.size() && text[count] >= '0' && text[count] <= '9') ++count;
    text.remove_prefix(count);
    return count;
  };
  const auto skip = [&](std::string_view any) {
    const bool found = !text.empty() && any.find(text.front()) != std::string_view::npos;
    if (found) text.remove_prefix(1);
    return found;
  };
  skip("-");
  const bool has_leading_zero = text.starts_with('0');
  const std::size_t whole = digits();
  if (whole == 0 || (has_leading_zero && whole > 1)) return false;
  if (skip(".") && digits() == 0) return false;
  if (!skip("eE")) return text.empty();
  skip("+-");
  return digits() > 0 && text.empty();
}

void append_json_character(char32_t c, std::string& out) {
  if (c == '"' || c == '\\') {
    out.push_back('\\');
    out.push_back(static_cast<char>(c));
  } else if (c < 0x20 || c == 0x7f) {
    out += "\\u00";
    out.push_back("01234567"[c >> 4]);
    out.push_back("0123456789abcdef"[c & 0xf]);
  } else {
    append_utf8(c >= 0xd800 && c <= 0xdfff ? kReplacementCharacter : c, out);
  }
}

void append_json_string(std::string_view text, std::string& out) {
  out.push_back('"');
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    while (at < text.size() && kStandsForItself[static_cast<unsigned char>(text[at])]) ++at;
    out.append(text.substr(begin, at - begin));
    if (at < text.size()) append_json_character(next_character(text, at), out);
  }
  out.push_back('"');
}

void append_json_micros(Ns ns, std::string& out) {
  const bool negative = ns < 0;
  const auto size = negative ? 0 - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
  const std::uint64_t decimals = size % 1000;
  if (negative) out.push_back('-');
  char whole[20];
  out.append(whole, std::to_chars(whole, whole + sizeof whole, size / 1000).ptr);
  out.push_back('.');
  for (const std::uint64_t place : {100, 10, 1})
    out.push_back(static_cast<char>('0' + decimals / place % 10));
}

}  // namespace nadi
