// Walks the fields of one JSON object with simdjson and hands out keys and raw tokens.
#pragma once

#include <simdjson.h>

#include <string_view>

#include "nadi/read/json_text.h"
#include "nadi/read/window.h"

namespace nadi {

using JsonParser = simdjson::ondemand::parser;
using JsonObject = simdjson::ondemand::object;
using JsonValue = simdjson::ondemand::value;

/// The key in front of a value token; both lie in one text.
inline std::string_view key_before(const char* key, const char* token) {
  const char* end = token;
  while (*end != ':' || end == token) --end;
  while (*--end != '"') {
  }
  return {key, end > key ? static_cast<std::size_t>(end - key) : 0};
}

/// True if the token can be a JSON value: catches empty values, nan, inf, N/A.
inline bool is_value_token(std::string_view token) {
  if (token.empty()) return false;
  const char first = token.front();
  if (first == '"' || (first >= '0' && first <= '9') || first == '[' || first == '{') return true;
  if (first == '-') return token.size() > 1 && token[1] >= '0' && token[1] <= '9';
  return token.starts_with("null") || token.starts_with("true") || token.starts_with("false");
}

/// Calls visit(key, token, value) for each field in file order; visit gives false on broken JSON.
/// The token is raw: strings with quotes, lists and objects only by their bracket.
template <class Visit>
bool for_each_field(JsonObject object, const Visit& visit) {
  for (auto result : object) {
    simdjson::ondemand::field field;
    if (std::move(result).get(field) != simdjson::SUCCESS) return false;
    const char* key = field.key().raw();
    JsonValue& value = field.value();
    const std::string_view token = value.raw_json_token();
    if (!is_value_token(token)) return false;
    if (!visit(key_before(key, token.data()), token, value)) return false;
  }
  return true;
}

/// The whole text of a value: scalars trimmed, lists and objects as written. Empty = broken.
inline std::string_view whole_token(std::string_view token, JsonValue& value) {
  std::string_view text;
  if (token.front() == '[') {
    simdjson::ondemand::array list;
    if (value.get_array().get(list) != simdjson::SUCCESS) return {};
    return list.raw_json().get(text) == simdjson::SUCCESS ? trim(text) : std::string_view{};
  }
  if (token.front() == '{') {
    JsonObject object;
    if (value.get_object().get(object) != simdjson::SUCCESS) return {};
    return object.raw_json().get(text) == simdjson::SUCCESS ? trim(text) : std::string_view{};
  }
  return trim(token);
}

/// Starts on an object with Window::kPadding readable bytes behind it; false = broken JSON.
inline bool open_object(JsonParser& parser, std::string_view text,
                        simdjson::ondemand::document& document, JsonObject& object) {
  const auto error =
      parser.iterate(text.data(), text.size(), text.size() + Window::kPadding).get(document);
  return error == simdjson::SUCCESS && document.get_object().get(object) == simdjson::SUCCESS;
}

/// Opens an object, as open_object, and calls visit(key, whole text of the value) for each field;
/// false = broken JSON, behind what was visited.
template <class Visit>
bool for_each_member(JsonParser& parser, std::string_view text, const Visit& visit) {
  simdjson::ondemand::document document;
  JsonObject object;
  return open_object(parser, text, document, object) &&
         for_each_field(object,
                        [&](std::string_view key, std::string_view token, JsonValue& value) {
                          const std::string_view whole = whole_token(token, value);
                          if (!whole.empty()) visit(key, whole);
                          return !whole.empty();
                        });
}

}  // namespace nadi
