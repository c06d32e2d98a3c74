// Finds where a sequence of names lies in a longer one: as it is, or but for a few ops.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "nadi/link/sequence_diff.h"

namespace nadi {

/// Half-open range of positions of the profiler's sequence.
using PositionRange = std::pair<NamePosition, NamePosition>;

/// Returns the positions where all of the pattern begins, at most so many; each may overlap the one
/// before or not. Time and memory are linear.
std::vector<NamePosition> find_whole(Names pattern, Names text, bool may_overlap, std::size_t most);

/// A range of the text, and how many names of it and of the pattern must be replaced, added or left
/// out to make them equal (Levenshtein's distance).
struct Infix {
  PositionRange range;
  std::uint32_t differences;
};

/// Returns the ranges that differ from the pattern in no more than half of its names, and in fewer
/// than all ranges that end less than half a pattern away. So of a pattern that is repeated each
/// repetition is found once. The best range comes first, of equally good ones the earlier; ranges
/// may overlap. If the pattern is too long for the budget, its first names are looked for, and
/// ranges are a quarter longer than the pattern. Costs a word of the budget for each name of the
/// text and 64 names of the pattern; memory is linear.
std::vector<Infix> find_infixes(Names pattern, Names text, MatchBudget& budget);

}  // namespace nadi
