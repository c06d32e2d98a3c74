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

/// Returns the ranges whose differences are the fewest around and no more than half of the
/// pattern's names; the best first, of equally good ones the earlier. Ends are at least half a
/// pattern apart, so that a sequence of repetitions is found once at each of its true positions,
/// and ranges of other positions only where no better ones are; they may overlap. Of a pattern too
/// long for the budget the first names are looked for, and ranges are as long as it and a quarter
/// more. Costs a word of the budget for 64 names of the pattern and one of the text; memory is
/// linear.
std::vector<Infix> find_infixes(Names pattern, Names text, MatchBudget& budget);

}  // namespace nadi
