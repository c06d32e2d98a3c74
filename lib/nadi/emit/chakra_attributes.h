// Attributes of Chakra messages: looked up in a node that anybody may have written, and added.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "et_def.pb.h"

namespace nadi {

/// The last attribute of that name, as feeders keep it; nullptr = none.
const ChakraProtoMsg::AttributeProto* find_attribute(const ChakraProtoMsg::Node& node,
                                                     std::string_view name);

/// The value of an integer or bool member, whichever the writer used; nullopt for all others.
std::optional<std::int64_t> whole_number(const ChakraProtoMsg::AttributeProto& attribute);

/// whole_number of the attribute of that name, fallback if there is none.
std::int64_t number_of(const ChakraProtoMsg::Node& node, std::string_view name,
                       std::int64_t fallback);

/// The string_val of the attribute of that name; empty if there is none.
std::string_view text_of(const ChakraProtoMsg::Node& node, std::string_view name);

/// True for a delay: pure waiting, no work (schema/chakra.md, "Nodes").
bool is_delay(const ChakraProtoMsg::Node& node);

/// Adds an attribute of that name, without a value yet, to the metadata.
ChakraProtoMsg::AttributeProto* add_attribute(ChakraProtoMsg::GlobalMetadata& metadata,
                                              const char* name);

}  // namespace nadi
