#include "nadi/emit/clean_json.h"

#include <algorithm>
#include <cmath>

#include "nadi/base/utf8.h"
#include "nadi/emit/json_translator.h"
#include "nadi/emit/json_writer.h"
#include "nadi/emit/python_repr.h"

namespace nadi {
namespace {

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
    for (const char32_t c : text) append_json_character(c, out);
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

bool append_clean_json(std::string_view json, std::string& out) {
  if (json.empty()) {
    out += "[]";
    return true;
  }
  std::string repaired;
  json = as_utf8(json, repaired);
  const std::size_t before = out.size();
  if (JsonTranslator<CleanJson>(json, out).run()) return true;
  out.resize(before);
  append_json_string(json, out);
  return false;
}

}  // namespace nadi
