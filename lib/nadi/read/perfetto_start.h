// What the start of a Perfetto trace says of its process: rank, process, number of events.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "perfetto_trace.pb.h"

namespace nadi {

/// The rank of the process, by a slice of a collective that is no message: its position in the
/// group, and the group's ranks. Nothing where the slice is another, or its list of ranks is cut.
std::optional<std::int64_t> rank_of_slice(const perfetto::protos::TrackEvent& slice);

struct PerfettoStart {
  std::int64_t pid = -1;   ///< of the first process that is no GPU; -1 = unknown
  std::int64_t rank = -1;  ///< -1 = unknown
  std::uint64_t events = 0;
};

/// Looks at the whole packets of the first bytes of a Perfetto trace.
PerfettoStart look_at_perfetto_start(std::string_view bytes);

}  // namespace nadi
