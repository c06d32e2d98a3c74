#include "nadi/chakra/node_ids.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "nadi/base/error.h"
#include "nadi/base/index.h"

namespace nadi {

std::vector<std::uint32_t> order_by_id(const std::vector<std::uint64_t>& ids) {
  if (std::is_sorted(ids.begin(), ids.end())) return {};
  std::vector<std::uint32_t> order(ids.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return ids[a] < ids[b]; });
  return order;
}

std::string cycle_text(const std::vector<std::uint64_t>& ids) {
  constexpr std::size_t kMaxShown = 24;
  std::string text;
  for (std::size_t i = 0; i < std::min(ids.size(), kMaxShown); ++i)
    text += "node " + std::to_string(ids[i]) + " waits for ";
  if (ids.size() > kMaxShown)
    text += "… (" + std::to_string(ids.size()) + " nodes in all) … waits for ";
  return text + "node " + std::to_string(ids.at(0));
}

std::uint32_t find_id(const std::vector<std::uint64_t>& ids,
                      const std::vector<std::uint32_t>& order, std::uint64_t id) {
  if (ids.empty()) return kNoIndex;
  const auto at = [&](std::size_t i) { return ids[position_by_id(order, i)]; };
  std::size_t low = 0, high = ids.size();
  // Ids without gaps, as most writers count them, need no search.
  if (const std::uint64_t first = at(0); id >= first && id - first < ids.size())
    if (const std::size_t guess = id - first; at(guess) == id && (guess == 0 || at(guess - 1) < id))
      return static_cast<std::uint32_t>(guess);
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    (at(middle) < id ? low : high) = at(middle) < id ? middle + 1 : middle;
  }
  return low < ids.size() && at(low) == id ? static_cast<std::uint32_t>(low) : kNoIndex;
}

void FileDependencies::require_countable(const std::string& file) const {
  if (size() >= kNoIndex)
    throw Error(ErrorCode::kInput, file, "more than 4,294,967,294 dependencies",
                "Convert fewer steps");
}

Adjacency FileSources::together(std::size_t nodes,
                                const std::vector<std::uint32_t>& positions) const {
  Adjacency both;
  both.begin.reserve(nodes + 1);
  both.node.reserve(data.node.size() + ctrl.node.size());
  for (std::size_t n = 0; n < nodes; ++n) {
    const auto of_data = data.of(position_by_id(positions, n));
    const auto of_ctrl = ctrl.of(position_by_id(positions, n));
    std::set_union(of_data.begin(), of_data.end(), of_ctrl.begin(), of_ctrl.end(),
                   std::back_inserter(both.node));
    both.end_node();
  }
  return both;
}

}  // namespace nadi
