// Where a sequence of names fits into a longer one but for a few ops: exact, bit-parallel.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "nadi/link/match_align.h"

namespace nadi {

/// A range of places of the profiler's sequence, and how many ops of it and of the host sequence
/// must be replaced, added or left out to make them equal (Levenshtein's distance).
struct Fit {
  std::uint32_t begin, end;
  std::uint32_t differences;
};

enum class FitChoice {
  kApart,  ///< ends at least half a host sequence apart: of neighbours the best
  kAll,    ///< every end that is as good as those beside it, the longest and the shortest fit
};

/// Ranges whose differences are the fewest around and no more than half of the host's ops; the best
/// first, of equally good ones the earlier. kApart finds a sequence of repetitions once at each of
/// its true places, and ranges of other places only where no better ones are; they may overlap.
/// Nothing where the budget does not suffice: a step for 64 host ops and one op of the profiler's;
/// kAll may take so many for each op of the host. Memory is linear.
std::optional<std::vector<Fit>> find_fits(Names host, Names profiler, FitChoice choice,
                                          AlignBudget& budget);

}  // namespace nadi
