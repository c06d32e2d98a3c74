// The registry of attributes that people choose from, and its named sets.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nadi/events/attribute.h"

namespace nadi {

struct AttributeSet {
  std::string name;
  std::vector<std::string> columns;
};

struct AttributeRegistry {
  std::string version;
  std::vector<Attribute> attributes;
  std::vector<AttributeSet> sets;

  /// Finds an attribute by column, else by raw key; nullptr = there is none.
  const Attribute* find(std::string_view name) const;
  const AttributeSet* find_set(std::string_view name) const;
};

/// schema/event_attributes.json as of the build.
const AttributeRegistry& built_in_registry();

/// A registry as JSON: {"version", "attributes": [{"column", "raw_key" or "raw_keys", "type",
/// "default", "min_version", "meaning"}], "sets": {"name": [columns]}}; all but attributes may be
/// missing. `where` is for messages. Throws Error(kUsage).
AttributeRegistry parse_registry(std::string_view json, const std::string& where);

/// Adds what `more` has; attributes and sets of a name that is there are replaced.
void extend_registry(AttributeRegistry& registry, const AttributeRegistry& more);

}  // namespace nadi
