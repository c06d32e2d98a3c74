#include "nadi/read/json_event.h"

#include "nadi/read/key_table.h"

namespace nadi {
namespace {

constexpr std::uint8_t kArguments = static_cast<std::uint8_t>(Field::kCount);

constexpr Key own_key(std::string_view name, Field field) {
  return {name, static_cast<std::uint8_t>(field)};
}

constexpr KeyTable kEventKeys(std::array{
    own_key("ph", Field::kPhase), own_key("cat", Field::kCategory), own_key("name", Field::kName),
    own_key("pid", Field::kPid), own_key("tid", Field::kTid), own_key("ts", Field::kTime),
    own_key("dur", Field::kDuration), own_key("id", Field::kId), Key{"args", kArguments}});

/// The whole value, nothing of null; false = broken JSON.
bool take(std::string_view token, JsonValue& value, EventValue& taken) {
  const char first = token.front();  // see is_value_token()
  if (first == 'n') return true;
  if (first == '[' || first == '{')
    token = whole_token(token, value);
  else
    while (is_space(token.back())) token.remove_suffix(1);
  taken = EventValue::of_json(token);
  constexpr std::size_t kOneCharacter = 3;  // with its quotes, as phases are
  return !token.empty() &&
         (first != '"' || token.size() == kOneCharacter || !has_bad_escape(token));
}

bool take_arguments(JsonValue& value, const ArgumentKeys& keys, TraceEvent& event) {
  JsonObject arguments;
  if (value.get_object().get(arguments) != simdjson::SUCCESS) return false;
  return for_each_field(arguments,
                        [&](std::string_view name, std::string_view token, JsonValue& argument) {
                          const std::uint16_t key = keys.find(name);
                          if (key == ArgumentKeys::kNone && !keys.takes_all) return true;
                          EventValue taken;
                          if (!take(token, argument, taken)) return false;
                          if (!taken.is_absent()) event.add({key, name, taken}, keys.field_of(key));
                          return true;
                        });
}

}  // namespace

bool parse_event(JsonParser& parser, std::string_view text, const ArgumentKeys& keys,
                 TraceEvent& event) {
  event.clear();
  simdjson::ondemand::document document;
  JsonObject object;
  if (!open_object(parser, text, document, object)) return false;
  const auto take_field = [&](std::string_view name, std::string_view token, JsonValue& value) {
    const std::uint8_t slot = kEventKeys.find(name);
    if (slot == kNoSlot) return true;
    if (slot == kArguments && token.front() == '{') return take_arguments(value, keys, event);
    const auto field = static_cast<Field>(slot);
    if (slot != kArguments && event.has(field)) return true;
    EventValue taken;
    if (!take(token, value, taken)) return false;
    if (slot != kArguments) event.set(field, taken);
    return true;
  };
  return for_each_field(object, take_field);
}

}  // namespace nadi
