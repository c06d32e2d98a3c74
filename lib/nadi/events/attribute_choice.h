// Chooses the attributes of a table: named sets, single ones, or all that occur.
#pragma once

#include <string>
#include <vector>

#include "nadi/events/attribute_registry.h"

namespace nadi {

struct AttributeChoice {
  std::vector<std::string>
      sets;  ///< they add up; an attribute is one of it alone; empty = "default"
  std::vector<std::string> only;  ///< columns instead of sets; empty = the sets
  std::vector<std::string> add;   ///< columns, raw keys, or parse_attribute()'s form
};

/// The attributes in the order chosen, each once. Throws Error(kUsage) that lists what there is for
/// a name the registry does not have, and for two columns of the same name.
std::vector<Attribute> choose_attributes(const AttributeRegistry& registry,
                                         const AttributeChoice& choice);

}  // namespace nadi
