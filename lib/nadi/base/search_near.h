// Binary search where it is nearly known what will be found.
#pragma once

#include <algorithm>
#include <iterator>

namespace nadi {

/// std::partition_point, looked for from `guess` on in steps that double: what stands near it is
/// found in few.
template <class Iterator, class IsBefore>
Iterator partition_point_near(Iterator begin, Iterator end, Iterator guess, IsBefore is_before) {
  using Steps = typename std::iterator_traits<Iterator>::difference_type;
  Iterator low = guess, high = guess;
  for (Steps step = 1; low != begin && !is_before(*std::prev(low)); step *= 2)
    low -= std::min(step, low - begin);
  for (Steps step = 1; high != end && is_before(*high); step *= 2)
    high += std::min(step, end - high);
  return std::partition_point(low, high, is_before);
}

}  // namespace nadi
