// Where the ops of one host thread occur in the longer sequence of one profiler thread.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "nadi/link/match_align.h"

namespace nadi {

/// One time the host sequence was run: places of both sequences that belong together.
struct ThreadIteration {
  std::vector<NamePair> pairs;  ///< ascending by host place, never empty
  std::uint64_t exact = 0;      ///< pairs whose neighbours agree too; the others are gap-filled
  /// Of the gap-filled ones those that only a name tells that others have too: neither order nor
  /// what they call.
  std::uint64_t ambiguous = 0;

  std::uint32_t first_place() const;  ///< smallest profiler place
  std::uint32_t last_place() const;   ///< largest profiler place
};

/// What was looked over of the profiler's ops is the smaller part.
bool is_together(const ThreadIteration& thread_iteration);

/// Pairs of the thread iteration that has the most; 0 = there is none.
std::size_t most_pairs(const std::vector<ThreadIteration>& thread_iterations);

/// Half-open range of places of the profiler's sequence.
using PlaceRange = std::pair<std::uint32_t, std::uint32_t>;

/// Whether thread iterations that differ in some ops are looked for where whole ones are found.
enum class DifferingToo : bool { kNo, kYes };

/// All thread iterations in time order, none overlapping another. Names that only one sequence has
/// are looked over, but no more of the profiler's than twice the names matched: else other work was
/// run in between. If the rest of the host sequence occurs as a whole, only such thread iterations
/// are given, unless differing ones are wanted too: then also those in which kLeastShare of the
/// rest fits. Else likely ranges are aligned, and those in which at least half of the host ops fit
/// are given: of a short host sequence those that leave the fewest ops unmatched (match_short.h),
/// else the best first. Time n log n in both sizes but for the tables, which the budget bounds;
/// memory linear.
std::vector<ThreadIteration> locate(Names host, Names profiler, AlignBudget& budget,
                                    DifferingToo differing = DifferingToo::kNo);

/// Places where the host sequence may have run, at most so many: where the rest of it occurs as a
/// whole, else the likely ranges, aligned. They may overlap each other and be cut by the ends of
/// the profiler's sequence. Time and memory as of locate(), for each place.
std::vector<ThreadIteration> locate_anywhere(Names host, Names profiler, std::size_t most,
                                             AlignBudget& budget);

/// The ranges that find_fits() gives; where the sequences are too long for it voted_ranges().
std::vector<PlaceRange> likely_ranges(Names host, Names profiler, AlignBudget& budget);

/// The ranges in which many runs of the host's names stand as far from each other as they do in the
/// host sequence, in time order: where it ran more or less.
std::vector<PlaceRange> voted_ranges(Names host, Names profiler);

/// The thread iteration within a range: the closest alignment, or where that takes too many
/// differences align_names()'s; whatever its quality, it may have no pairs.
ThreadIteration align_range(Names host, Names profiler, PlaceRange range, AlignBudget& budget);

/// Pairs that stand in runs of at least 8 neighbours on both sides, or in an alignment without gap.
std::uint64_t count_exact(const std::vector<NamePair>& pairs, std::size_t host_size);

}  // namespace nadi
