#include "nadi/events/attribute_value.h"

#include <algorithm>

#include "nadi/base/number_text.h"

namespace nadi {
namespace {

/// Takes the white space with line ends out of JSON text; in strings there is none.
std::string_view on_one_line(std::string_view json, std::string& scratch) {
  const auto is_control = [](char c) { return c == '\n' || c == '\r' || c == '\t'; };
  if (std::none_of(json.begin(), json.end(), is_control)) return json;
  scratch.clear();
  for (std::size_t at = 0; at < json.size();) {
    const std::size_t end = std::min(json.find_first_of("\n\r\t", at), json.size());
    scratch.append(json.substr(at, end - at));
    const std::size_t next = std::min(json.find_first_not_of(" \n\r\t", end), json.size());
    if (scratch.ends_with(',')) scratch.push_back(' ');
    at = next;
  }
  return scratch;
}

}  // namespace

std::optional<std::int64_t> int_value(const EventValue& value) {
  if (const auto number = value.integer()) return number;
  if (value.is_text()) return std::nullopt;
  if (value.view() == "true") return 1;
  if (value.view() == "false") return 0;
  return std::nullopt;
}

std::optional<double> float_value(const EventValue& value) {
  std::string scratch;
  return number_of_text<double>(trim(value.text(scratch)));
}

std::string_view text_value(const EventValue& value, std::string& scratch) {
  if (value.is_text()) return value.text(scratch);
  const std::string_view token = value.token(scratch);
  const bool may_have_lines = token.starts_with('[') || token.starts_with('{');
  return may_have_lines ? on_one_line(token, scratch) : token;
}

AttributeType type_of(const EventValue& value) {
  std::string scratch;
  const std::string_view token = value.token(scratch);
  const char first = token.empty() ? '\0' : token.front();
  if (first == '"') return AttributeType::kString;
  if (first == '[' || first == '{' || first == '\0') return AttributeType::kObject;
  return int_value(value) && token.find('.') == std::string_view::npos ? AttributeType::kInt
                                                                       : AttributeType::kFloat;
}

}  // namespace nadi
