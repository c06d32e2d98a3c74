#include "nadi/events/attribute.h"

#include <algorithm>
#include <array>

#include "nadi/base/error.h"
#include "nadi/events/attribute_value.h"

namespace nadi {
namespace {

constexpr std::array<std::string_view, 4> kTypes{"Int", "Float", "String", "Object"};
constexpr std::array<std::string_view, 14> kBaseColumns{
    "rank",      "index", "name",   "cat",   "pid", "tid", "ts", "dur", "end", "index_correlation",
    "iteration", "ts_ns", "dur_ns", "end_ns"};
constexpr const char* kForms =
    "Write 'column=raw key:Type' or 'column=raw key:Type:default'; types are Int, Float, String "
    "and "
    "Object";

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string without_parentheses(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t open = text.find('(');
    const std::size_t close = open == text.npos ? text.npos : text.find(')', open);
    if (close == text.npos) break;
    out += text.substr(0, open);
    text.remove_prefix(close + 1);
  }
  return out += text;
}

}  // namespace

std::string_view to_string(AttributeType type) { return kTypes[static_cast<std::size_t>(type)]; }

std::optional<AttributeType> attribute_type_of(std::string_view text) {
  const auto found = std::find(kTypes.begin(), kTypes.end(), text);
  if (found == kTypes.end()) return std::nullopt;
  return static_cast<AttributeType>(found - kTypes.begin());
}

bool is_base_column(std::string_view column) {
  const auto same = [column](std::string_view base) {
    return std::equal(column.begin(), column.end(), base.begin(), base.end(),
                      [](char a, char b) { return lower(a) == b; });
  };
  return std::any_of(kBaseColumns.begin(), kBaseColumns.end(), same);
}

std::string column_name_of(std::string_view raw_key) {
  std::string name;
  for (const char c : without_parentheses(raw_key)) {
    const bool is_gap = std::string_view(" -/.%_").find(c) != std::string_view::npos;
    if (!is_gap)
      name += lower(c);
    else if (!name.empty() && name.back() != '_')
      name += '_';
  }
  if (name.ends_with('_')) name.pop_back();
  return name.empty() || is_base_column(name) ? "arg_" + name : name;
}

std::string_view usual_fallback(AttributeType type) {
  constexpr std::array<std::string_view, 4> kFallbacks{"0", "0", "", ""};
  return kFallbacks[static_cast<std::size_t>(type)];
}

Attribute parse_attribute(std::string_view text) {
  const auto fail = [&](const char* what) -> Error {
    return {ErrorCode::kUsage, "attribute '" + std::string(text) + "'", what, kForms};
  };
  const std::size_t equals = text.find('=');
  if (equals == text.npos || equals == 0) throw fail("has no column before =");
  std::string_view key = text.substr(equals + 1);
  const auto take_last = [&key]() -> std::string_view {
    const std::size_t colon = key.rfind(':');
    if (colon == key.npos) return {};
    const std::string_view last = key.substr(colon + 1);
    key = key.substr(0, colon);
    return last;
  };
  Attribute attribute;
  attribute.column = text.substr(0, equals);
  const std::string_view last = take_last();
  auto type = attribute_type_of(last);
  if (type) {
    attribute.fallback = usual_fallback(*type);
  } else {
    type = attribute_type_of(take_last());
    if (!type) throw fail("has no type");
    attribute.fallback = last;
  }
  if (key.empty()) throw fail("has no raw key");
  attribute.type = *type;
  attribute.raw_keys.emplace_back(key);
  require_valid(attribute, "attribute '" + std::string(text) + "'");
  return attribute;
}

void require_valid(const Attribute& attribute, std::string_view where) {
  const auto fail = [&](const std::string& what, const char* remedy) {
    throw Error(ErrorCode::kUsage, std::string(where), what, remedy);
  };
  if (attribute.column.empty()) fail("has no column", kForms);
  if (is_base_column(attribute.column))
    fail("'" + attribute.column + "' is a column every table has", "Choose another column name");
  if (attribute.raw_keys.empty()) fail("has no raw key", kForms);
  const bool is_good = attribute.type == AttributeType::kInt
                           ? int_value(EventValue::of_json(attribute.fallback)).has_value()
                       : attribute.type == AttributeType::kFloat
                           ? float_value(EventValue::of_json(attribute.fallback)).has_value()
                           : true;
  if (!is_good)
    fail("'" + attribute.fallback + "' is no " + std::string(to_string(attribute.type)), kForms);
}

}  // namespace nadi
