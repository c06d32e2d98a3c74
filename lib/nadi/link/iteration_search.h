// Finds where the ops of one host thread occur in the longer sequence of one profiler thread.
#pragma once

#include <cstdint>
#include <vector>

#include "nadi/base/index.h"
#include "nadi/link/infix_search.h"

namespace nadi {

/// One time the host sequence was run: positions of both sequences that belong together.
struct ThreadIteration {
  std::vector<NamePair> pairs;  ///< ascending by host position, never empty
  std::uint64_t exact = 0;      ///< pairs whose neighbours agree too; the others are gap-filled
  /// Of the gap-filled pairs, those found by their name alone, which several ops have; neither
  /// their order nor what they call confirms them.
  std::uint64_t ambiguous = 0;

  NamePosition first_position() const;  ///< smallest profiler position
  NamePosition last_position() const;   ///< largest profiler position
};
using ThreadIterationIndex = Index<ThreadIteration>;

/// Pairs of the thread iteration that has the most; 0 = there is none.
std::size_t most_pairs(const ByRow<ThreadIteration>& thread_iterations);

/// Says whether thread iterations that differ in some ops are looked for where whole ones are
/// found.
enum class DifferingToo : bool { kNo, kYes };

/// Finds all thread iterations in time order, none overlapping another. Names that only one
/// sequence has are skipped, of the profiler's at most twice as many as are matched: beyond that,
/// other work was run in between. If the rest of the host sequence occurs as a whole, only such
/// thread iterations are returned, unless differing ones are wanted too: then also those in which
/// kLeastShare of the rest fits. If it does not, the ranges of find_infixes() are compared, the
/// best first, and those are returned in which at least half of the host ops fit. Time n log n in
/// both sizes but for what the budget bounds; memory linear.
ByRow<ThreadIteration> locate(Names host, Names profiler, MatchBudget& budget,
                              DifferingToo differing = DifferingToo::kNo);

/// Finds positions where the host sequence may have run, at most so many: where the rest of it
/// occurs as a whole, else the ranges of find_infixes(), compared. They may overlap each other and
/// be cut by the ends of the profiler's sequence. Time and memory as of locate(), for each
/// position.
ByRow<ThreadIteration> locate_anywhere(Names host, Names profiler, std::size_t most,
                                       MatchBudget& budget);

/// Returns what a range of the profiler's sequence has in common with the host's, however little:
/// it may have no pairs.
ThreadIteration diff_range(Names host, Names profiler, PositionRange range, MatchBudget& budget);

}  // namespace nadi
