// Makes one number of several, for keys that must be equal and need no order.
#pragma once

#include <cstdint>

namespace nadi {

/// Returns a number for the sequence behind `hash` with `value` appended.
constexpr std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15ULL + (hash << 6) + (hash >> 2);
  return hash * 0xff51afd7ed558ccdULL;
}

}  // namespace nadi
