#include "nadi/emit/python_repr.h"

#include <charconv>
#include <cmath>
#include <cstdint>

#include "nadi/base/utf8.h"
#include "nadi/emit/json_translator.h"
#include "nadi/emit/python_printable.h"

namespace nadi {
namespace {

void append_hex(char letter, int digits, std::uint32_t value, std::string& out) {
  out.push_back('\\');
  out.push_back(letter);
  while (digits-- > 0) out.push_back("0123456789abcdef"[value >> (4 * digits) & 0xf]);
}

void append_character(char32_t c, char quote, std::string& out) {
  if (c == static_cast<char32_t>(quote) || c == '\\') {
    out.push_back('\\');
    out.push_back(static_cast<char>(c));
  } else if (c == '\n') {
    out += "\\n";
  } else if (c == '\r') {
    out += "\\r";
  } else if (c == '\t') {
    out += "\\t";
  } else if (is_python_printable(c)) {
    append_utf8(c, out);
  } else if (c < 0x100) {
    append_hex('x', 2, c, out);
  } else if (c < 0x10000) {
    append_hex('u', 4, c, out);
  } else {
    append_hex('U', 8, c, out);
  }
}

void append_quoted(const std::u32string& text, std::string& out) {
  const bool has_single = text.find(U'\'') != text.npos, has_double = text.find(U'"') != text.npos;
  const char quote = has_single && !has_double ? '"' : '\'';
  out.push_back(quote);
  for (const char32_t c : text) append_character(c, quote, out);
  out.push_back(quote);
}

struct Python {
  static constexpr char kQuote = '\'';

  static void append_string(const std::u32string& text, std::string& out) {
    append_quoted(text, out);
  }
  static void append_float(std::string_view, double value, std::string& out) {
    append_python_float(value, out);
  }
  static std::string_view text_of(JsonWord word) {
    constexpr std::string_view kTexts[] = {"", "None", "True", "False", "nan", "inf", "-inf"};
    return kTexts[static_cast<std::size_t>(word)];
  }
};

}  // namespace

void append_python_float(double value, std::string& out) {
  if (std::isnan(value)) {
    out += "nan";
    return;
  }
  if (std::isinf(value)) {
    out += value < 0 ? "-inf" : "inf";
    return;
  }
  char text[40];
  const auto end =
      std::to_chars(text, text + sizeof text, value, std::chars_format::scientific).ptr;
  std::string_view all(text, static_cast<std::size_t>(end - text));
  if (all.front() == '-') {
    out.push_back('-');
    all.remove_prefix(1);
  }
  const std::size_t mark = all.find('e');
  int exponent = 0;
  std::from_chars(all.data() + mark + 1 + (all[mark + 1] == '+'), end, exponent);
  if (exponent < -4 || exponent >= 16) {
    out += all;  // to_chars and Python agree here: at least two digits of exponent
    return;
  }
  std::string digits(1, all[0]);
  if (mark > 2) digits += all.substr(2, mark - 2);
  if (exponent < 0) {
    out += "0.";
    out.append(static_cast<std::size_t>(-exponent - 1), '0');
    out += digits;
    return;
  }
  const auto whole = static_cast<std::size_t>(exponent) + 1;
  if (digits.size() <= whole) digits.append(whole + 1 - digits.size(), '0');
  out.append(digits, 0, whole);
  out.push_back('.');
  out.append(digits, whole);
}

bool append_python_repr(std::string_view json, std::string& out) {
  if (json.empty()) {
    out += "[]";
    return true;
  }
  const std::size_t before = out.size();
  std::string repaired;
  if (JsonTranslator<Python>(as_utf8(json, repaired), out).run()) return true;
  out.resize(before);
  return false;
}

}  // namespace nadi
