// A count with its noun, for messages: "1 op", "928 ops".
#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace nadi {

/// noun: of one; its plural must be made with an s.
std::string count_text(std::integral auto count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace nadi
