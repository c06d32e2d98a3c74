// Pairs two lists of names that differ, by edit distance.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace nadi {

/// A call that the other tree does not have under the same path.
struct Sibling {
  std::string_view name;
  bool is_device = false;                  ///< device rows stand for device rows only
  std::vector<std::string_view> children;  ///< names; the first 64 are looked at
};

/// Returns how alike two siblings are, from 0 to 1: the larger of the shares of equal pairs of
/// letters in their names, behind the last ": ", and of equal children.
double likeness(const Sibling& a, const Sibling& b);

/// Pairs (place in a, place in b), ascending in both, with the least edit distance: leaving one out
/// costs 1, a pair 2 * (1 - likeness), and only pairs of a likeness of 0.5 and more are made. Lists
/// whose lengths' product is beyond 4096 give no pairs.
std::vector<std::pair<std::size_t, std::size_t>> align_siblings(const std::vector<Sibling>& a,
                                                                const std::vector<Sibling>& b);

}  // namespace nadi
