// What annotations of one piece of code have in common.
#pragma once

#include <string>
#include <string_view>

namespace nadi {

/// Returns the name without what code puts into it of what it works on: without numbers, and
/// without what stands in brackets. "FSDP::pre_forward (layers.3)" is "FSDP::pre_forward ",
/// "execute_context_2(513)" is "execute_context_".
inline std::string name_of_code(std::string_view annotation) {
  std::string name;
  int depth = 0;
  for (const char c : annotation) {
    if (c == '(') ++depth;
    if (depth == 0 && (c < '0' || c > '9')) name += c;
    if (c == ')' && depth > 0) --depth;
  }
  return name;
}

}  // namespace nadi
