// An event of a device trace as JSON, for tests that look at all of it.
#pragma once

#include <array>
#include <string>
#include <utility>

#include "nadi/read/trace_event.h"

namespace nadi::test {

inline std::string json_of(const TraceEvent& event) {
  constexpr std::array kOwn{std::pair{"ph", Field::kPhase},    std::pair{"cat", Field::kCategory},
                            std::pair{"name", Field::kName},   std::pair{"pid", Field::kPid},
                            std::pair{"tid", Field::kTid},     std::pair{"ts", Field::kTime},
                            std::pair{"dur", Field::kDuration}};
  std::string text = "{", scratch;
  const auto add = [&](std::string_view key, const EventValue& value) {
    text.append(1, '"').append(key).append("\":").append(value.token(scratch)).append(1, ',');
  };
  for (const auto& [key, field] : kOwn)
    if (event.has(field)) add(key, event.value(field));
  text += "\"args\":{";
  for (const EventArgument& argument : event.arguments()) add(argument.name, argument.value);
  if (text.ends_with(',')) text.pop_back();
  return text + "}}";
}

}  // namespace nadi::test
