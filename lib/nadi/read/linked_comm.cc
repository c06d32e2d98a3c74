// What nadi's linked JSON tells of an operation's communication.
#include "nadi/model/comm_fields.h"
#include "nadi/read/json_text.h"
#include "nadi/read/linked_rows.h"

namespace nadi {
namespace {

template <class Fields>
const typename Fields::value_type* find_field(const Fields& fields, std::string_view name) {
  for (const auto& field : fields)
    if (field.name == name) return &field;
  return nullptr;
}

}  // namespace

CommIndex LinkedRowBuilder::recorded_comm_of(const NodeFields& node) {
  simdjson::ondemand::document document;
  JsonObject object;
  if (!node.has(NodeField::kComm) ||
      !open_object(comm_parser_, node.token(NodeField::kComm), document, object))
    return {};
  CommRecord record;
  const bool is_whole =
      for_each_field(object, [&](std::string_view name, std::string_view token, JsonValue& value) {
        const std::string_view whole = whole_token(token, value);
        if (const CommText* text = find_field(kCommTexts, name))
          record.*text->member = json_.device.strings.intern(text_of(whole, scratch_));
        if (const CommNumber* number = find_field(kCommNumbers, name))
          record.*number->member = integer_of(whole).value_or(-1);
        if (name == "is_p2p") record.is_p2p = whole == "true";
        return !whole.empty();
      });
  if (!is_whole) return {};
  json_.device.comms.push_back(record);
  return CommIndex(json_.device.comms.size() - 1);
}

}  // namespace nadi
