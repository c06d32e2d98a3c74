#include "nadi/emit/clean_json.h"

#include <cmath>

#include "nadi/base/json_string.h"
#include "nadi/base/utf8.h"
#include "nadi/emit/json_translator.h"
#include "nadi/emit/json_writer.h"
#include "nadi/emit/python_repr.h"

namespace nadi {
namespace {

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
    } else if (is_json_number(token)) {
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
