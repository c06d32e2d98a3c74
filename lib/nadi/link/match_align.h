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

/// Cells of alignment tables that may still be filled (about 1 ns each): one budget a link, so that
/// no input takes more than a second or so in tables. A single table has at most 4 million cells of
/// 2 bytes.
struct AlignBudget {
  std::size_t cells = 1'000'000'000;
};

/// Pairs of equal names, ascending on both sides. Runs of names that occur once in either sequence
/// hold it together (patience diff, with runs of 16, 4 and 1 names); small gaps between them are
/// aligned to the longest common subsequence; gaps too large for that or for what is left of the
/// budget stay unmatched. Memory: linear, plus one table.
std::vector<NamePair> align_names(Names host, Names profiler, AlignBudget& budget);

/// Hashes of all runs of `length` names, by place of the run's first name.
std::vector<std::uint64_t> run_hashes(Names names, std::size_t length);

}  // namespace nadi
