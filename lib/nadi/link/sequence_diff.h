// Pairs what two sequences of names have in common, in order: the differ of all matching by names.
#pragma once

#include <compare>
#include <cstddef>
#include <vector>

#include "nadi/base/index.h"

namespace nadi {

/// A name by its number; equal names of two sequences have equal numbers.
struct NumberedName;
using NameNumber = Index<NumberedName>;

/// A position in a sequence of names.
struct NameAt;
using NamePosition = Index<NameAt>;

/// An entry for each position of a sequence of names.
template <class T>
using ByPosition = ByRow<NameAt, T>;
using NameList = ByPosition<NameNumber>;
/// A sequence of names, or the part of one that begins at its position 0.
using Names = RowSpan<NameAt, NameNumber>;

/// Positions of one name in two sequences.
struct NamePair {
  NamePosition host, profiler;
  friend auto operator<=>(const NamePair&, const NamePair&) = default;  ///< by host
};

/// The work that exact methods may still do: one budget a link, so that no input takes more than
/// some seconds.
struct MatchBudget {
  std::size_t steps = 500'000'000;    ///< comparisons of diff_names(), a few ns each
  std::size_t words = 1'000'000'000;  ///< of 64 host ops compared with a profiler op, in
                                      ///< find_infixes() (infix_search.h)
};

/// Pairs of equal names, ascending on both sides. As few ops as possible are replaced, added or
/// left out (Levenshtein's distance): a replaced op holds its place, which separates repetitions
/// better than the longest common subsequence does. Between neighbours that are paired as many as
/// possible are; and where a whole run of pairs fits as well beside its longer neighbour, it stands
/// there. Sequences with more than 1,400 differences are first split at runs of names that occur
/// once in either (patience diff, with runs of 16, 4 and 1 names); what lies beyond that, and
/// beyond the budget, stays unmatched. Time n log n but for what the budget bounds. Memory: linear,
/// plus 8 MB.
std::vector<NamePair> diff_names(Names host, Names profiler, MatchBudget& budget);

}  // namespace nadi
