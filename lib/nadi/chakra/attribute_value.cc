#include "nadi/chakra/attribute_value.h"

#include <bit>

#include "nadi/base/wire_reader.h"

namespace nadi {

using ChakraProtoMsg::AttributeProto;

namespace {

using Wire = WireReader::Type;

/// How protobuf writes each member of AttributeProto's value: a field of another wire type is none.
Wire wire_of(int member) {
  switch (member) {
    case AttributeProto::kDoubleVal:
    case AttributeProto::kFixed64Val:
    case AttributeProto::kSfixed64Val:
      return Wire::kFixed64;
    case AttributeProto::kFloatVal:
    case AttributeProto::kFixed32Val:
    case AttributeProto::kSfixed32Val:
      return Wire::kFixed32;
    case AttributeProto::kInt32Val:
    case AttributeProto::kInt64Val:
    case AttributeProto::kUint32Val:
    case AttributeProto::kUint64Val:
    case AttributeProto::kSint32Val:
    case AttributeProto::kSint64Val:
    case AttributeProto::kBoolVal:
      return Wire::kVarint;
    default:
      return Wire::kBytes;
  }
}

std::int64_t undo_zigzag(std::uint64_t bits) {
  return static_cast<std::int64_t>((bits >> 1) ^ (0 - (bits & 1)));
}

}  // namespace

std::optional<std::int64_t> whole_number_of(const AttributeValue& attribute) {
  const std::uint64_t bits = attribute.number;
  switch (attribute.member) {
    case AttributeProto::kInt32Val:
    case AttributeProto::kSfixed32Val:
      return static_cast<std::int32_t>(bits);
    case AttributeProto::kUint32Val:
    case AttributeProto::kFixed32Val:
      return static_cast<std::uint32_t>(bits);
    case AttributeProto::kSint32Val:
      return static_cast<std::int32_t>(undo_zigzag(static_cast<std::uint32_t>(bits)));
    case AttributeProto::kSint64Val:
      return undo_zigzag(bits);
    case AttributeProto::kBoolVal:
      return bits != 0 ? 1 : 0;
    case AttributeProto::kInt64Val:
    case AttributeProto::kUint64Val:
    case AttributeProto::kFixed64Val:
    case AttributeProto::kSfixed64Val:
      return static_cast<std::int64_t>(bits);
    default:
      return std::nullopt;
  }
}

bool is_unsigned_64(const AttributeValue& attribute) {
  return attribute.member == AttributeProto::kUint64Val ||
         attribute.member == AttributeProto::kFixed64Val;
}

std::optional<double> real_number_of(const AttributeValue& attribute) {
  if (attribute.member == AttributeProto::kDoubleVal)
    return std::bit_cast<double>(attribute.number);
  if (attribute.member == AttributeProto::kFloatVal)
    return std::bit_cast<float>(static_cast<std::uint32_t>(attribute.number));
  const auto value = whole_number_of(attribute);
  if (!value) return std::nullopt;
  return is_unsigned_64(attribute) ? static_cast<double>(attribute.number)
                                   : static_cast<double>(*value);
}

std::optional<std::string_view> text_of(const AttributeValue& attribute) {
  if (attribute.member == AttributeProto::kStringVal ||
      attribute.member == AttributeProto::kBytesVal)
    return attribute.bytes;
  return std::nullopt;
}

std::string member_name(int member) {
  const auto* field = AttributeProto::descriptor()->FindFieldByNumber(member);
  return field != nullptr ? "the member " + field->name() : "no value";
}

std::optional<std::int64_t> whole_number_of(const AttributeProto& attribute) {
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
      return attribute.bool_val() ? 1 : 0;
    default:
      return std::nullopt;
  }
}

std::optional<double> real_number_of(const AttributeProto& attribute) {
  if (attribute.has_double_val()) return attribute.double_val();
  if (attribute.has_float_val()) return attribute.float_val();
  if (attribute.has_uint64_val()) return static_cast<double>(attribute.uint64_val());
  if (attribute.has_fixed64_val()) return static_cast<double>(attribute.fixed64_val());
  const auto value = whole_number_of(attribute);
  return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
}

std::int64_t number_of(const ChakraProtoMsg::Node& node, std::string_view name,
                       std::int64_t fallback) {
  const AttributeProto* attribute = find_attribute(node, name);
  return attribute == nullptr ? fallback : whole_number_of(*attribute).value_or(fallback);
}

std::string_view text_of(const ChakraProtoMsg::Node& node, std::string_view name) {
  const AttributeProto* attribute = find_attribute(node, name);
  return attribute == nullptr ? std::string_view() : attribute->string_val();
}

AttributeProto* add_attribute(ChakraProtoMsg::GlobalMetadata& metadata, const char* name) {
  AttributeProto* attribute = metadata.add_attr();
  attribute->set_name(name);
  return attribute;
}

bool read_attribute_value(std::string_view message, AttributeValue& attribute) {
  attribute.message = message;
  WireReader reader(message);
  while (reader.next()) {
    if (reader.field() == 1 && reader.type() == Wire::kBytes) attribute.name = reader.bytes();
    if (reader.field() < AttributeProto::kDoubleVal || reader.field() > AttributeProto::kBytesList)
      continue;
    const int member = static_cast<int>(reader.field());
    if (reader.type() != wire_of(member)) continue;
    attribute.member = member;
    attribute.number = reader.number();
    attribute.bytes = reader.bytes();
  }
  return !reader.is_broken();
}

}  // namespace nadi
