#include "nadi/read/lane_event.h"

#include <array>

#include "nadi/read/key_table.h"

namespace nadi {
namespace {

enum LaneSlot : std::uint8_t {
  kLanePhase,
  kLaneCategory,
  kLaneName,
  kLanePid,
  kLaneTid,
  kLaneArguments
};
enum LaneArgument : std::uint8_t { kLaneArgName, kLaneCorrelation, kLaneStream };

constexpr KeyTable kLaneKeys(std::array{Key{"ph", kLanePhase}, Key{"cat", kLaneCategory},
                                        Key{"name", kLaneName}, Key{"pid", kLanePid},
                                        Key{"tid", kLaneTid}, Key{"args", kLaneArguments}});
constexpr KeyTable kLaneArgKeys(std::array{
    Key{"name", kLaneArgName}, Key{"correlation_id", kLaneCorrelation},
    Key{"connection_id", kLaneCorrelation}, Key{"Stream Id", kLaneStream}});

}  // namespace

bool LaneEvent::parse(JsonParser& parser, std::string_view event) {
  *this = {};
  // A list or an object is none of these values: its bracket stands for it.
  const auto take = [](std::string_view token, std::string_view& place) {
    if (!token.starts_with("null")) place = trim(token);
    return true;
  };
  const auto take_argument = [&](std::string_view key, std::string_view token, JsonValue&) {
    std::string_view* const places[] = {&arg_name, &correlation, &stream};
    const std::uint8_t slot = kLaneArgKeys.find(key);
    return slot == kNoSlot || take(token, *places[slot]);
  };
  const auto take_field = [&](std::string_view key, std::string_view token, JsonValue& value) {
    std::string_view* const places[] = {&phase, &category, &name, &pid, &tid};
    const std::uint8_t slot = kLaneKeys.find(key);
    if (slot == kNoSlot) return true;
    if (slot != kLaneArguments) return take(token, *places[slot]);
    JsonObject arguments;
    return token.front() != '{' || (value.get_object().get(arguments) == simdjson::SUCCESS &&
                                    for_each_field(arguments, take_argument));
  };
  simdjson::ondemand::document document;
  JsonObject object;
  return open_object(parser, event, document, object) && for_each_field(object, take_field);
}

}  // namespace nadi
