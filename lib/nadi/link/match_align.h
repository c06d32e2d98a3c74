// Alignment of two sequences of names: what is common in order, in near-linear time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace nadi {

using Names = std::span<const std::uint32_t>;

/// Places of one name in two sequences.
struct NamePair {
  std::uint32_t host, profiler;
  friend bool operator==(const NamePair&, const NamePair&) = default;
};

/// What exact methods may still do: one budget a link, so that no input takes more than some
/// seconds.
struct AlignBudget {
  std::size_t steps = 500'000'000;    ///< comparisons of alignments, a few ns each
  std::size_t words = 1'000'000'000;  ///< of 64 host ops compared with a profiler op (match_fit.h)
};

/// Pairs of equal names, ascending on both sides. Runs of names that occur once in either sequence
/// hold it together (patience diff, with runs of 16, 4 and 1 names); the gaps between them are
/// aligned to the longest common subsequence, up to 2,000 differences each and while the budget
/// lasts: what lies beyond stays unmatched. Memory: linear, plus 8 MB.
std::vector<NamePair> align_names(Names host, Names profiler, AlignBudget& budget);

/// As many pairs of equal names with fewer breaks between runs of them: where a whole run fits as
/// well beside its longer neighbour, it stands there. Time n log n, memory linear.
std::vector<NamePair> with_fewer_breaks(Names host, Names profiler,
                                        const std::vector<NamePair>& pairs);

/// Hashes of all runs of `length` names, by place of the run's first name.
std::vector<std::uint64_t> run_hashes(Names names, std::size_t length);

}  // namespace nadi
