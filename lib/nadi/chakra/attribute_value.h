// One attribute of a node, from its bytes or of a message: which member of the value it has, and
// that member.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "et_def.pb.h"

namespace nadi {

/// Views point into the bytes it was read from.
struct AttributeValue {
  std::string_view name, message;
  int member = ChakraProtoMsg::AttributeProto::VALUE_NOT_SET;  ///< field number in the value
  std::uint64_t number = 0;  ///< of integer, bool and floating members: the bits on the wire
  std::string_view bytes;    ///< of text and list members
};

/// False where the bytes are no AttributeProto.
bool read_attribute_value(std::string_view message, AttributeValue& attribute);

/// The value of an integer or bool member; nullopt for others. Unsigned 64-bit values give their
/// bits.
std::optional<std::int64_t> whole_number_of(const AttributeValue& attribute);
bool is_unsigned_64(const AttributeValue& attribute);
/// The value of a float, double, integer or bool member; nullopt for others.
std::optional<double> real_number_of(const AttributeValue& attribute);
/// The value of a string or bytes member; nullopt for others.
std::optional<std::string_view> text_of(const AttributeValue& attribute);
/// "the member int64_val", "no value".
std::string member_name(int member);

/// The same of a message.
std::optional<std::int64_t> whole_number_of(const ChakraProtoMsg::AttributeProto& attribute);
std::optional<double> real_number_of(const ChakraProtoMsg::AttributeProto& attribute);

/// The attribute of that name of a node or of metadata, the last where there are several; nullptr =
/// it has none.
template <class Message>
const ChakraProtoMsg::AttributeProto* find_attribute(const Message& message,
                                                     std::string_view name) {
  for (int i = message.attr_size() - 1; i >= 0; --i)
    if (message.attr(i).name() == name) return &message.attr(i);
  return nullptr;
}

/// whole_number_of the attribute of that name, fallback if there is none.
std::int64_t number_of(const ChakraProtoMsg::Node& node, std::string_view name,
                       std::int64_t fallback);

/// The string_val of the attribute of that name; empty if there is none.
std::string_view text_of(const ChakraProtoMsg::Node& node, std::string_view name);

/// Adds an attribute of that name, without a value yet, to the metadata.
ChakraProtoMsg::AttributeProto* add_attribute(ChakraProtoMsg::GlobalMetadata& metadata,
                                              const char* name);

/// Removes all attributes of that name from a node or from metadata.
template <class Message>
void remove_attribute(Message& message, std::string_view name) {
  auto& rows = *message.mutable_attr();
  for (int i = rows.size() - 1; i >= 0; --i)
    if (rows[i].name() == name) rows.DeleteSubrange(i, 1);
}

/// Calls take(value) for each value of a list of integers or bools, and of floats with take_reals;
/// false where the attribute has no such list.
template <class Take>
bool each_listed(const ChakraProtoMsg::AttributeProto& attribute, bool take_reals, Take take) {
  using Attribute = ChakraProtoMsg::AttributeProto;
  const auto each = [&](const auto& list) {
    for (const auto value : list.values()) take(value);
    return true;
  };
  switch (attribute.value_case()) {
    case Attribute::kInt32List:
      return each(attribute.int32_list());
    case Attribute::kInt64List:
      return each(attribute.int64_list());
    case Attribute::kUint32List:
      return each(attribute.uint32_list());
    case Attribute::kUint64List:
      return each(attribute.uint64_list());
    case Attribute::kSint32List:
      return each(attribute.sint32_list());
    case Attribute::kSint64List:
      return each(attribute.sint64_list());
    case Attribute::kFixed32List:
      return each(attribute.fixed32_list());
    case Attribute::kFixed64List:
      return each(attribute.fixed64_list());
    case Attribute::kSfixed32List:
      return each(attribute.sfixed32_list());
    case Attribute::kSfixed64List:
      return each(attribute.sfixed64_list());
    case Attribute::kBoolList:
      return each(attribute.bool_list());
    case Attribute::kFloatList:
      return take_reals && each(attribute.float_list());
    case Attribute::kDoubleList:
      return take_reals && each(attribute.double_list());
    default:
      return false;
  }
}

}  // namespace nadi
