// One attribute of events: a key of `args` in a trace, and the typed column it becomes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nadi {

/// Object: lists, objects and whatever else a trace writes there, as JSON text.
enum class AttributeType : std::uint8_t { kInt, kFloat, kString, kObject };

struct Attribute {
  std::string column;                 ///< name in the table
  std::vector<std::string> raw_keys;  ///< spellings in `args`
  AttributeType type = AttributeType::kObject;
  std::string fallback;               ///< value of rows without it, as text: "-1", "[]"
  std::string min_version = "1.0.0";  ///< first version of the registry that has it
  std::string meaning;                ///< unit and sense, one line; empty = as the key says
};

/// "Int", "Float", "String", "Object".
std::string_view to_string(AttributeType type);
std::optional<AttributeType> attribute_type_of(std::string_view text);

/// The column of a raw key nobody has described: text in parentheses removed, lower case, runs of
/// blank - / . % and _ are one _, none at the ends; a name that base columns have gets "arg_"
/// before it.
std::string column_name_of(std::string_view raw_key);

/// True for the names every table has besides its attributes, in any output.
bool is_base_column(std::string_view column);

/// 'column=raw key:Type' or 'column=raw key:Type:default'. Throws Error(kUsage) for anything else.
Attribute parse_attribute(std::string_view text);

/// A type's usual value of rows without the attribute: 0, 0.0, "" and "".
std::string_view usual_fallback(AttributeType type);

/// Throws Error(kUsage) unless the column can be one and the fallback is of the type.
void require_valid(const Attribute& attribute, std::string_view where);

}  // namespace nadi
