#include "nadi/graph/all_to_all_bytes.h"

#include <algorithm>
#include <functional>

namespace nadi {

namespace {

/// Elements or bytes beyond this are none that a machine holds.
constexpr std::int64_t kMost = 1LL << 55;

/// Bytes of what one of a split's numbers counts: a row of the input where its size is a multiple
/// of all rows, else an element; 0 = not known.
std::int64_t unit_bytes(const AllToAllInput& input, std::int64_t sum) {
  const bool has_rows =
      input.elements >= 0 ? input.elements % sum == 0 : input.bytes >= 0 && input.bytes % sum == 0;
  if (has_rows && input.bytes >= 0) return input.bytes / sum;
  return input.element_bytes;
}

}  // namespace

std::int64_t all_to_all_bytes(const AllToAllInput& input) {
  std::int64_t sum = 0;
  for (const std::int64_t split : input.splits) sum = std::min(sum + std::min(split, kMost), kMost);
  if (sum == 0 || input.splits.size() < 2) return 0;
  const std::int64_t unit = unit_bytes(input, sum);
  if (unit <= 0 || sum >= kMost / unit) return -1;
  const bool are_even = std::adjacent_find(input.splits.begin(), input.splits.end(),
                                           std::not_equal_to<>()) == input.splits.end();
  return (are_even ? sum : sum - input.splits[input.own]) * unit;
}

}  // namespace nadi
