// The members of a process group, shared by all groups that have the same.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace nadi {

/// Global ranks, ascending, each once. Copies share the list: a trace of a few bytes may claim
/// many groups of a million ranks.
class RankList {
 public:
  RankList() : RankList(std::vector<std::int64_t>{}) {}
  RankList(std::initializer_list<std::int64_t> ranks)
      : RankList(std::vector<std::int64_t>(ranks)) {}
  /// `ranks`: in any order.
  explicit RankList(std::vector<std::int64_t> ranks) {
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    list_ = std::make_shared<const std::vector<std::int64_t>>(std::move(ranks));
  }

  const std::vector<std::int64_t>& get() const { return *list_; }
  bool empty() const { return list_->empty(); }
  bool holds(std::int64_t rank) const {
    return std::binary_search(list_->begin(), list_->end(), rank);
  }

  friend bool operator==(const RankList& a, const RankList& b) {
    return a.list_ == b.list_ || *a.list_ == *b.list_;
  }
  friend std::strong_ordering operator<=>(const RankList& a, const RankList& b) {
    return a.list_ == b.list_ ? std::strong_ordering::equal : *a.list_ <=> *b.list_;
  }

 private:
  std::shared_ptr<const std::vector<std::int64_t>> list_;
};

}  // namespace nadi
