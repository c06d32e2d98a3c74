#include "nadi/read/node_fields.h"

#include "nadi/read/key_table.h"

namespace nadi {
namespace {

constexpr Key key(std::string_view name, NodeField field) {
  return {name, static_cast<std::uint8_t>(field)};
}

constexpr std::uint8_t kInputs = 0xf0, kOutputs = 0xf1, kAttributes = 0xf2;

constexpr KeyTable kNodeKeys(std::array{
    key("name", NodeField::kName), key("id", NodeField::kId), key("ctrl_deps", NodeField::kParent),
    Key{"inputs", kInputs}, Key{"outputs", kOutputs}, Key{"attrs", kAttributes},
    // Flat form (1.0.0, 1.0.1).
    key("parent", NodeField::kParent), key("rf_id", NodeField::kRfId),
    key("fw_parent", NodeField::kForwardParent), key("seq_id", NodeField::kSeqId),
    key("scope", NodeField::kScope), key("tid", NodeField::kTid),
    key("fw_tid", NodeField::kForwardTid), key("op_schema", NodeField::kOpSchema),
    key("input_shapes", NodeField::kInputShapes), key("input_types", NodeField::kInputTypes),
    key("output_shapes", NodeField::kOutputShapes), key("output_types", NodeField::kOutputTypes)});

constexpr KeyTable kAttributeKeys(std::array{key("rf_id", NodeField::kRfId),
                                             key("fw_parent", NodeField::kForwardParent),
                                             key("seq_id", NodeField::kSeqId),
                                             key("scope", NodeField::kScope),
                                             key("tid", NodeField::kTid),
                                             key("fw_tid", NodeField::kForwardTid),
                                             key("op_schema", NodeField::kOpSchema),
                                             key("kernel_backend", NodeField::kKernelBackend),
                                             key("kernel_file", NodeField::kKernelFile),
                                             key("collective_name", NodeField::kCollective),
                                             key("dtype", NodeField::kDtype),
                                             key("in_msg_nelems", NodeField::kInNelems),
                                             key("out_msg_nelems", NodeField::kOutNelems),
                                             key("in_split_size", NodeField::kInSplit),
                                             key("out_split_size", NodeField::kOutSplit),
                                             key("global_rank_start", NodeField::kRankStart),
                                             key("global_rank_stride", NodeField::kRankStride),
                                             key("pg_name", NodeField::kGroupName),
                                             key("pg_desc", NodeField::kGroupDescription),
                                             key("pg_size", NodeField::kGroupSize)});

// Places behind the first of an input or output block, in the order of NodeField.
constexpr KeyTable kTensorKeys(std::array{Key{"values", 0}, Key{"shapes", 1}, Key{"types", 2},
                                          Key{"strides", 3}});

}  // namespace

bool NodeFields::keep(std::uint8_t slot, std::string_view token, JsonValue& value) {
  if (token.starts_with("null")) return true;
  const std::string_view whole = whole_token(token, value);
  if (whole.empty() || (whole.front() == '"' && has_bad_escape(whole))) return false;
  tokens_[slot] = whole;
  present_ |= std::uint64_t{1} << slot;
  return true;
}

/// {"values": …, "shapes": …, "types": …} of the Chakra form.
bool NodeFields::parse_tensors(JsonValue& value, NodeField first) {
  JsonObject tensors;
  if (value.get_object().get(tensors) != simdjson::SUCCESS) return false;
  return for_each_field(tensors, [&](std::string_view name, std::string_view token,
                                     JsonValue& list) {
    const std::uint8_t place = kTensorKeys.find(name);
    return place == kNoSlot ||
           keep(static_cast<std::uint8_t>(static_cast<std::uint8_t>(first) + place), token, list);
  });
}

/// [{"name": "rf_id", "type": "uint64", "value": 1}, …]
bool NodeFields::parse_attributes(JsonValue& value) {
  simdjson::ondemand::array list;
  if (value.get_array().get(list) != simdjson::SUCCESS) return false;
  for (auto entry : list) {
    JsonObject attribute;
    if (entry.get_object().get(attribute) != simdjson::SUCCESS) return false;
    std::string_view name, content;
    const bool is_good = for_each_field(
        attribute, [&](std::string_view field, std::string_view token, JsonValue& part) {
          if (is_key(field, "name")) name = unquoted(trim(token));
          if (!is_key(field, "value")) return true;
          content = whole_token(token, part);
          return !content.empty();
        });
    if (!is_good) return false;
    const std::uint8_t slot = kAttributeKeys.find(name);
    if (slot == kNoSlot || content.empty() || content == "null") continue;
    tokens_[slot] = content;
    present_ |= std::uint64_t{1} << slot;
  }
  return true;
}

bool NodeFields::parse(JsonParser& parser, std::string_view node) {
  present_ = 0;
  simdjson::ondemand::document document;
  JsonObject object;
  if (!open_object(parser, node, document, object)) return false;
  return for_each_field(object, [this](std::string_view name, std::string_view token,
                                       JsonValue& value) {
    std::uint8_t slot = kNodeKeys.find(name);
    if (slot == kNoSlot && find_more_ != nullptr) slot = find_more_(name);
    const bool is_object = token.front() == '{';
    switch (slot) {
      case kNoSlot:
        return true;
      case kInputs:
        return is_object ? parse_tensors(value, NodeField::kInputValues)
                         : keep(static_cast<std::uint8_t>(NodeField::kInputValues), token, value);
      case kOutputs:
        return is_object ? parse_tensors(value, NodeField::kOutputValues)
                         : keep(static_cast<std::uint8_t>(NodeField::kOutputValues), token, value);
      case kAttributes:
        return token.front() != '[' || parse_attributes(value);
      default:
        return keep(slot, token, value);
    }
  });
}

}  // namespace nadi
