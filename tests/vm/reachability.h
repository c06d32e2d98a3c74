// Which nodes of a small graph come before which, as bit sets (for up to some thousand nodes).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace nadi::vm {

class BitSet {
 public:
  explicit BitSet(std::size_t size = 0) : words_((size + 63) / 64, 0) {}
  void set(std::size_t i) { words_[i / 64] |= std::uint64_t{1} << (i % 64); }
  bool test(std::size_t i) const { return (words_[i / 64] >> (i % 64)) & 1; }
  BitSet& operator|=(const BitSet& other);
  /// Members of this that are not in other, ascending.
  std::vector<std::size_t> minus(const BitSet& other) const;
  std::size_t count() const;

 private:
  std::vector<std::uint64_t> words_;
};

/// before[b].test(a): a path leads from a to b. Throws Error(kInternal) on a cycle.
std::vector<BitSet> closure(std::size_t nodes, const std::vector<std::pair<int, int>>& edges);

/// The nodes such that every edge goes forward. Throws Error(kInternal) on a cycle.
std::vector<int> topological_order(std::size_t nodes,
                                   const std::vector<std::pair<int, int>>& edges);

}  // namespace nadi::vm
