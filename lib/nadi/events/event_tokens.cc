#include "nadi/events/event_tokens.h"

#include "nadi/read/key_table.h"

namespace nadi {
namespace {

enum Slot : std::uint8_t { kName, kCategory, kPid, kTid, kTime, kDuration, kArguments, kSlots };

constexpr KeyTable kEventKeys(std::array{Key{"name", kName}, Key{"cat", kCategory},
                                         Key{"pid", kPid}, Key{"tid", kTid}, Key{"ts", kTime},
                                         Key{"dur", kDuration}, Key{"args", kArguments}});

/// The whole value; false = broken JSON. null gives empty text.
bool take(std::string_view token, JsonValue& value, std::string_view& text) {
  text = {};
  if (token.starts_with("null")) return true;
  text = whole_token(token, value);
  return !text.empty() && (text.front() != '"' || !has_bad_escape(text));
}

}  // namespace

bool EventTokens::parse(JsonParser& parser, std::string_view event, const KeyNumbers& keys,
                        bool all) {
  name = category = pid = tid = time = duration = {};
  arguments.clear();
  const auto take_argument = [&](std::string_view key, std::string_view token, JsonValue& value) {
    const std::uint16_t number = keys.find(key);
    if (number == KeyNumbers::kNone && !all) return true;
    std::string_view text;
    if (!take(token, value, text)) return false;
    if (!text.empty()) arguments.push_back({number, key, text});
    return true;
  };
  const auto take_field = [&](std::string_view key, std::string_view token, JsonValue& value) {
    std::string_view* const places[] = {&name, &category, &pid, &tid, &time, &duration};
    const std::uint8_t slot = kEventKeys.find(key);
    if (slot == kNoSlot) return true;
    if (slot != kArguments) return take(token, value, *places[slot]);
    JsonObject object;
    return token.front() != '{' || (value.get_object().get(object) == simdjson::SUCCESS &&
                                    for_each_field(object, take_argument));
  };
  simdjson::ondemand::document document;
  JsonObject object;
  return open_object(parser, event, document, object) && for_each_field(object, take_field);
}

}  // namespace nadi
