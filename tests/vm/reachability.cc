#include "reachability.h"

#include <bit>

#include "nadi/base/error.h"

namespace nadi::vm {

BitSet& BitSet::operator|=(const BitSet& other) {
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  return *this;
}

std::vector<std::size_t> BitSet::minus(const BitSet& other) const {
  std::vector<std::size_t> rest;
  for (std::size_t i = 0; i < words_.size(); ++i)
    for (std::uint64_t word = words_[i] & ~other.words_[i]; word != 0; word &= word - 1)
      rest.push_back(i * 64 + static_cast<std::size_t>(std::countr_zero(word)));
  return rest;
}

std::size_t BitSet::count() const {
  std::size_t count = 0;
  for (std::uint64_t word : words_) count += static_cast<std::size_t>(std::popcount(word));
  return count;
}

std::vector<int> topological_order(std::size_t nodes,
                                   const std::vector<std::pair<int, int>>& edges) {
  std::vector<std::vector<int>> next(nodes);
  std::vector<int> open(nodes, 0), order;
  for (const auto& [from, to] : edges) {
    next[static_cast<std::size_t>(from)].push_back(to);
    ++open[static_cast<std::size_t>(to)];
  }
  for (std::size_t i = 0; i < nodes; ++i)
    if (open[i] == 0) order.push_back(static_cast<int>(i));
  for (std::size_t i = 0; i < order.size(); ++i)
    for (int to : next[static_cast<std::size_t>(order[i])])
      if (--open[static_cast<std::size_t>(to)] == 0) order.push_back(to);
  if (order.size() != nodes) throw Error(ErrorCode::kInternal, "graph", "has a cycle");
  return order;
}

std::vector<BitSet> closure(std::size_t nodes, const std::vector<std::pair<int, int>>& edges) {
  std::vector<std::vector<int>> from_of(nodes);
  for (const auto& [from, to] : edges) from_of[static_cast<std::size_t>(to)].push_back(from);
  std::vector<BitSet> before(nodes, BitSet(nodes));
  for (int to : topological_order(nodes, edges)) {
    for (int from : from_of[static_cast<std::size_t>(to)]) {
      before[static_cast<std::size_t>(to)] |= before[static_cast<std::size_t>(from)];
      before[static_cast<std::size_t>(to)].set(static_cast<std::size_t>(from));
    }
  }
  return before;
}

}  // namespace nadi::vm
