#include "nadi/emit/clean_json.h"

#include <algorithm>
#include <cmath>

#include "nadi/base/utf8.h"
#include "nadi/emit/json_translator.h"
#include "nadi/emit/python_repr.h"

namespace nadi {
namespace {

void append_escaped(char32_t c, std::string& out) {
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

// digits [. digits] [e [sign] digits], as JSON wants it; the sign is gone, and a leading 0 stands
// alone.
bool is_json_number(std::string_view text) {
  const auto digits = [&] {
    const std::size_t size = static_cast<std::size_t>(
        std::find_if_not(text.begin(), text.end(), is_json_digit) - text.begin());
    text.remove_prefix(size);
    return size;
  };
  if (text.size() > 1 && text[0] == '0' && is_json_digit(text[1])) return false;
  if (digits() == 0) return false;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (digits() == 0) return false;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    if (digits() == 0) return false;
  }
  return text.empty();
}

struct CleanJson {
  static constexpr char kQuote = '"';

  static void append_string(const std::u32string& text, std::string& out) {
    out.push_back('"');
    for (const char32_t c : text) append_escaped(c, out);
    out.push_back('"');
  }
  static void append_float(std::string_view token, double value, std::string& out) {
    if (std::isinf(value)) {
      out += text_of(value < 0 ? JsonWord::kMinusInfinity : JsonWord::kInfinity);
    } else if (is_json_number(token.substr(token.starts_with('-')))) {
      out += token;
    } else {
      append_python_float(value, out);
    }
  }
  static std::string_view text_of(JsonWord word) {
    constexpr std::string_view kTexts[] = {"",        "null",    "true",    "false",
                                           "\"nan\"", "\"inf\"", "\"-inf\""};
    return kTexts[static_cast<std::size_t>(word)];
  }
};

}  // namespace

void append_json_string(std::string_view text, std::string& out) {
  out.push_back('"');
  for (std::size_t at = 0; at < text.size();) append_escaped(next_character(text, at), out);
  out.push_back('"');
}

bool append_clean_json(std::string_view json, std::string& out) {
  if (json.empty()) {
    out += "[]";
    return true;
  }
  const std::string repaired = is_utf8(json) ? std::string() : repair_utf8(json);
  if (!repaired.empty()) json = repaired;
  const std::size_t before = out.size();
  if (JsonTranslator<CleanJson>(json, out).run()) return true;
  out.resize(before);
  append_json_string(json, out);
  return false;
}

void append_json_micros(Ns ns, std::string& out) {
  const bool negative = ns < 0;
  const auto size = negative ? 0 - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
  const std::string decimals = std::to_string(1000 + size % 1000);
  if (negative) out.push_back('-');
  out += std::to_string(size / 1000);
  out.push_back('.');
  out.append(decimals, 1);
}

}  // namespace nadi
