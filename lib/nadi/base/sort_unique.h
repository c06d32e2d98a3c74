// Sorts values and leaves one of those that are equal.
#pragma once

#include <algorithm>
#include <vector>

namespace nadi {

template <class T>
void sort_unique(std::vector<T>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace nadi
