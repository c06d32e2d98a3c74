#include "nadi/events/attribute_registry.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "nadi/base/error.h"
#include "nadi/base/json_document.h"

namespace nadi {

extern const char* const kBuiltInAttributes;  // generated from schema/event_attributes.json

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kForm = "See schema/event_attributes.json for the form";

Attribute attribute_of(const Json& entry, const std::string& where) {
  Attribute attribute;
  attribute.column = entry.at("column").get<std::string>();
  const std::string place = where + ", attribute '" + attribute.column + "'";
  if (entry.contains("raw_keys"))
    attribute.raw_keys = entry["raw_keys"].get<std::vector<std::string>>();
  else
    attribute.raw_keys.push_back(entry.value("raw_key", attribute.column));
  const auto type = attribute_type_of(entry.at("type").get<std::string>());
  if (!type)
    throw Error(ErrorCode::kUsage, place, "has another type than Int, Float, String, Object",
                kForm);
  attribute.type = *type;
  attribute.fallback = usual_fallback(*type);
  if (entry.contains("default"))
    attribute.fallback = entry["default"].is_string() ? entry["default"].get<std::string>()
                                                      : document_text(entry["default"]);
  attribute.min_version = entry.value("min_version", attribute.min_version);
  attribute.meaning = entry.value("meaning", attribute.meaning);
  require_valid(attribute, place);
  return attribute;
}

template <class Rows, class Row>
void put(Rows& rows, const Row& row, std::string Row::*key) {
  const auto same = [&](const Row& other) { return other.*key == row.*key; };
  const auto found = std::find_if(rows.begin(), rows.end(), same);
  if (found == rows.end())
    rows.push_back(row);
  else
    *found = row;
}

}  // namespace

const Attribute* AttributeRegistry::find(std::string_view name) const {
  for (const Attribute& attribute : attributes)
    if (attribute.column == name) return &attribute;
  for (const Attribute& attribute : attributes)
    for (const std::string& key : attribute.raw_keys)
      if (key == name) return &attribute;
  return nullptr;
}

const AttributeSet* AttributeRegistry::find_set(std::string_view name) const {
  for (const AttributeSet& set : sets)
    if (set.name == name) return &set;
  return nullptr;
}

AttributeRegistry parse_registry(std::string_view json, const std::string& where) {
  AttributeRegistry registry;
  try {
    const Json document = parse_ordered_json(json);
    registry.version = document.value("version", "");
    for (const Json& entry : document.at("attributes"))
      registry.attributes.push_back(attribute_of(entry, where));
    if (document.contains("sets"))
      for (const auto& [name, columns] : document["sets"].items())
        registry.sets.push_back({name, columns.get<std::vector<std::string>>()});
  } catch (const Json::exception& error) {
    throw Error(ErrorCode::kUsage, where,
                std::string("is no registry of attributes (") + error.what() + ")", kForm);
  }
  return registry;
}

void extend_registry(AttributeRegistry& registry, const AttributeRegistry& more) {
  if (!more.version.empty()) registry.version = more.version;
  for (const Attribute& attribute : more.attributes)
    put(registry.attributes, attribute, &Attribute::column);
  for (const AttributeSet& set : more.sets) put(registry.sets, set, &AttributeSet::name);
}

const AttributeRegistry& built_in_registry() {
  static const AttributeRegistry registry =
      parse_registry(kBuiltInAttributes, "schema/event_attributes.json");
  return registry;
}

}  // namespace nadi
