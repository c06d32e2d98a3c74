// Where among a profiler thread's outermost ops the iterations are that look like the host trace's.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nadi/link/match_call_tree.h"
#include "nadi/link/match_locate.h"

namespace nadi {

std::vector<std::uint32_t> names_at(const CallTree& tree, std::span<const std::uint32_t> places);

/// Ranges of outermost profiler ops to look at, ascending; they may overlap. The one whose ops have
/// the host's autograd sequence numbers is among them. All ops are one range if they are not many
/// more than the host's, or if they are few and nothing is likely.
std::vector<PlaceRange> iteration_ranges(const CallTree& host, const CallTree& profiler,
                                         AlignBudget& budget);

}  // namespace nadi
