// Finds the most items of a list that can follow one another (patience sorting).
#pragma once

#include <algorithm>
#include <iterator>
#include <vector>

#include "nadi/base/index.h"

namespace nadi {

/// Returns the longest chain of the items, in their order, in which each may follow the one before
/// it: may_follow(earlier, later) compares one number of each, by <, <=, > or >=. Of several
/// longest chains it is the one that ends with the smallest number (with > and >= the largest), and
/// of equal ones with the last item; each item before is chosen in the same way. O(n log n).
template <class Item, class MayFollow>
std::vector<Item> longest_chain(const std::vector<Item>& items, const MayFollow& may_follow) {
  using ItemIndex = Index<Item>;
  std::vector<ItemIndex> ends;  // by length: the item that ends the best chain of it
  ByRow<Item, ItemIndex> before(items.size());  // none = the first of its chain
  for (const ItemIndex i : rows_of(before)) {
    const auto end = std::partition_point(ends.begin(), ends.end(), [&](ItemIndex earlier) {
      return may_follow(items[earlier.value], items[i.value]);
    });
    if (end != ends.begin()) before[i] = *std::prev(end);
    if (end == ends.end())
      ends.push_back(i);
    else
      *end = i;
  }
  std::vector<Item> chain;
  for (ItemIndex i = ends.empty() ? ItemIndex() : ends.back(); i; i = before[i])
    chain.push_back(items[i.value]);
  std::reverse(chain.begin(), chain.end());
  return chain;
}

}  // namespace nadi
