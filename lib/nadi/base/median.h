// The value in the middle of many.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace nadi {

/// The median of at least one value; of two in the middle the larger. Reorders the values. O(n).
template <class Value>
Value upper_median(std::vector<Value>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace nadi
