// Rewrites the text of one event or node so that a copy of a trace does not collide with it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace nadi::bench {

/// What copy k adds: k times the span of the ids, and of the time.
struct Shift {
  std::uint64_t ids = 0;
  std::int64_t time_ns = 0;
};

/// Largest id in `event`, for the span; ids are the numbers of the keys repeat_trace shifts.
std::uint64_t largest_id(std::string_view event, bool is_host);
/// Appends `event` with its ids and `ts` shifted. Ids that mean "none" (0, -1, and in host nodes
/// the process root's 1) stay.
void append_shifted(std::string& out, std::string_view event, bool is_host, const Shift& shift);

}  // namespace nadi::bench
