#include "nadi/events/attribute_choice.h"

#include <algorithm>

#include "nadi/base/count_text.h"
#include "nadi/base/error.h"

namespace nadi {
namespace {

class Choosing {
 public:
  explicit Choosing(const AttributeRegistry& registry) : registry_(registry) {}

  void add_set(const std::string& name) {
    const AttributeSet* set = registry_.find_set(name);
    if (set == nullptr && registry_.find(name) != nullptr) return add_known(name);
    if (set == nullptr)
      throw Error(ErrorCode::kUsage, "attributes", "no set is named '" + name + "'",
                  "The sets are " + list_of(registry_.sets, &AttributeSet::name));
    for (const std::string& column : set->columns) add_known(column);
  }

  void add_known(const std::string& name) {
    const Attribute* attribute = registry_.find(name);
    if (attribute == nullptr)
      throw Error(ErrorCode::kUsage, "attributes", "none is named '" + name + "'",
                  "There are " + list_of(registry_.attributes, &Attribute::column) +
                      "; others as 'column=raw key:Type:default'");
    add(*attribute);
  }

  void add(const Attribute& attribute) {
    const auto same = [&](const Attribute& other) { return other.column == attribute.column; };
    const auto found = std::find_if(chosen.begin(), chosen.end(), same);
    if (found == chosen.end())
      chosen.push_back(attribute);
    else if (found->raw_keys != attribute.raw_keys || found->type != attribute.type)
      throw Error(ErrorCode::kUsage, "attributes",
                  "two different ones are named '" + attribute.column + "'",
                  "Choose another column name");
  }

  std::vector<Attribute> chosen;

 private:
  const AttributeRegistry& registry_;
};

}  // namespace

std::vector<Attribute> choose_attributes(const AttributeRegistry& registry,
                                         const AttributeChoice& choice) {
  Choosing choosing(registry);
  if (choice.only.empty() && choice.sets.empty()) choosing.add_set("default");
  if (choice.only.empty())
    for (const std::string& set : choice.sets) choosing.add_set(set);
  for (const std::string& column : choice.only) choosing.add_known(column);
  for (const std::string& text : choice.add) {
    if (text.find('=') == std::string::npos)
      choosing.add_known(text);
    else
      choosing.add(parse_attribute(text));
  }
  return std::move(choosing.chosen);
}

}  // namespace nadi
