// The names of training steps: annotations ProfilerStep#N.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "nadi/base/number_text.h"

namespace nadi {

/// True for "ProfilerStep#7", and whatever else begins so.
inline bool is_step_name(std::string_view name) { return name.starts_with("ProfilerStep#"); }

/// N of an op named ProfilerStep#N; nothing of other names.
inline std::optional<std::int32_t> step_number(std::string_view op_name) {
  if (!is_step_name(op_name)) return std::nullopt;
  const auto number = number_of_text<std::int32_t>(op_name.substr(op_name.find('#') + 1));
  return number && *number >= 0 ? number : std::nullopt;
}

/// The name, which all steps have in common: "ProfilerStep".
inline std::string_view name_without_step(std::string_view op_name) {
  return step_number(op_name) ? "ProfilerStep" : op_name;
}

}  // namespace nadi
