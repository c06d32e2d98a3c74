// Thread iterations of a short host sequence: of many places as good by themselves those that go
// together.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "nadi/link/match_locate.h"

namespace nadi {

/// Of all ranges that differ little from the host sequence (find_fits(), aligned by align_range())
/// those that overlap nowhere and together leave the fewest host ops unmatched; ascending, each
/// with at least half of the host ops. `place` gives the places of the profiler's names in a whole
/// sequence, which the pairs name. Nothing where the host has more than 64 ops or the budget does
/// not suffice. Memory is linear.
std::optional<std::vector<ThreadIteration>> locate_short(Names host, Names profiler,
                                                         std::span<const std::uint32_t> place,
                                                         AlignBudget& budget);

}  // namespace nadi
