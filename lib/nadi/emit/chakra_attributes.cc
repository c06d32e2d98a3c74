#include "nadi/emit/chakra_attributes.h"

namespace nadi {

using ChakraProtoMsg::AttributeProto;

const AttributeProto* find_attribute(const ChakraProtoMsg::Node& node, std::string_view name) {
  const AttributeProto* found = nullptr;
  for (const AttributeProto& attribute : node.attr())
    if (attribute.name() == name) found = &attribute;
  return found;
}

std::optional<std::int64_t> whole_number(const AttributeProto& attribute) {
  switch (attribute.value_case()) {
    case AttributeProto::kInt32Val:
      return attribute.int32_val();
    case AttributeProto::kInt64Val:
      return attribute.int64_val();
    case AttributeProto::kUint32Val:
      return attribute.uint32_val();
    case AttributeProto::kUint64Val:
      return static_cast<std::int64_t>(attribute.uint64_val());
    case AttributeProto::kSint32Val:
      return attribute.sint32_val();
    case AttributeProto::kSint64Val:
      return attribute.sint64_val();
    case AttributeProto::kFixed32Val:
      return attribute.fixed32_val();
    case AttributeProto::kFixed64Val:
      return static_cast<std::int64_t>(attribute.fixed64_val());
    case AttributeProto::kSfixed32Val:
      return attribute.sfixed32_val();
    case AttributeProto::kSfixed64Val:
      return attribute.sfixed64_val();
    case AttributeProto::kBoolVal:
      return attribute.bool_val();
    default:
      return std::nullopt;
  }
}

std::int64_t number_of(const ChakraProtoMsg::Node& node, std::string_view name,
                       std::int64_t fallback) {
  const AttributeProto* attribute = find_attribute(node, name);
  return attribute == nullptr ? fallback : whole_number(*attribute).value_or(fallback);
}

std::string_view text_of(const ChakraProtoMsg::Node& node, std::string_view name) {
  const AttributeProto* attribute = find_attribute(node, name);
  return attribute == nullptr ? std::string_view() : attribute->string_val();
}

bool is_delay(const ChakraProtoMsg::Node& node) {
  if (find_attribute(node, "is_delay") != nullptr) return number_of(node, "is_delay", 0) != 0;
  // Graphs written before that attribute tell by name.
  return node.name() == "delay" && find_attribute(node, "start_ns") != nullptr;
}

AttributeProto* add_attribute(ChakraProtoMsg::GlobalMetadata& metadata, const char* name) {
  AttributeProto* attribute = metadata.add_attr();
  attribute->set_name(name);
  return attribute;
}

}  // namespace nadi
