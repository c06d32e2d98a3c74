// The names of device rows that copy or set memory.
#pragma once

#include <algorithm>
#include <string_view>

namespace nadi {

/// True for "Memcpy DtoH (Device -> Pageable)", "hipMemset", "dma", …
inline bool is_memory_row_name(std::string_view name) {
  constexpr std::string_view kBegins[] = {"Memcpy", "Memset", "hipMemcpy", "hipMemset", "dma"};
  return std::ranges::any_of(kBegins,
                             [=](std::string_view begin) { return name.starts_with(begin); });
}

}  // namespace nadi
