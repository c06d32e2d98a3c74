// ASTRA-sim counts the streams of a group from a million times the group's number, in 32 bits:
// those of groups with larger numbers overlap with others'.
#pragma once

#include <cstdint>

namespace nadi::astra_sim {

/// Largest number of a group, and one more than the largest tag of a message, that it keeps apart.
inline constexpr std::int64_t kMostGroups = 2147;
inline constexpr std::int64_t kTagLimit = 500'000'000;

}  // namespace nadi::astra_sim
