// Alignment of two sequences of names that differ little: the one with the fewest differences.
#pragma once

#include <optional>
#include <vector>

#include "nadi/link/match_align.h"

namespace nadi {

/// Pairs of equal names, ascending on both sides, of an alignment in which as few ops as possible
/// are replaced, added or left out (Levenshtein's distance). A replaced op holds its place, which
/// tells repetitions apart better than the longest common subsequence does. Nothing where there are
/// more than `most` or 1,400 differences, or the budget does not suffice. Memory: 8 MB at most.
std::optional<std::vector<NamePair>> align_closely(Names host, Names profiler, std::uint32_t most,
                                                   AlignBudget& budget);

}  // namespace nadi
