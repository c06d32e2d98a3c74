// Process groups as the metadata of graphs and ASTRA-sim's group file describe them.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "et_def.pb.h"
#include "nadi/model/graph.h"

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

/// A group as one rank's trace describes it (schema/chakra.md, `process_groups`).
struct DescribedGroup {
  std::string desc;
  RankList ranks;          ///< empty = all ranks, or not all are known
  std::int64_t size = -1;  ///< -1 = not recorded
};
using DescribedGroups = std::map<std::string, DescribedGroup>;  // by name

/// Returns the groups in the attribute `process_groups` of metadata, by name; none where it is
/// absent. Throws Error(kInput) that names `where` for text of another form.
DescribedGroups described_groups(const ChakraProtoMsg::GlobalMetadata& metadata,
                                 const std::string& where);

/// The same of the ranks of a job, each of which may list all of them: equal lists are kept once,
/// and a text that is the last one again is not parsed again.
class GroupReader {
 public:
  std::shared_ptr<const DescribedGroups> read(const ChakraProtoMsg::GlobalMetadata& metadata,
                                              const std::string& where);

 private:
  std::set<RankList> lists_;
  std::string last_text_;
  std::shared_ptr<const DescribedGroups> last_;
};

/// The number that ASTRA-sim takes a group's name for, in graphs and in the group file: that of
/// std::stoi, "3" of " +3abc"; nothing where it throws, since no number that an int holds begins
/// the name.
std::optional<std::int64_t> group_number_of(std::string_view name);

/// ASTRA-sim's communicator groups: {"1": [0, 1]}, by key as written. Throws Error(kInput) that
/// names `where` for text of another form.
std::map<std::string, std::vector<std::int64_t>> parse_comm_groups(const std::string& text,
                                                                   const std::string& where);

/// The text of such a file; keys in numeric order, a line each.
std::string comm_groups_json(const std::map<std::int64_t, std::vector<std::int64_t>>& groups);

/// The attribute `world_size`; nothing where no graph has it. `ranks`: of each graph. Throws
/// Error(kInput) that names file and rank where two graphs record different sizes.
std::optional<std::int64_t> declared_world_size(std::span<const Graph> graphs,
                                                std::span<const std::int64_t> ranks);

/// An empty list of a described group means all ranks of the job (H8), unless its size says
/// otherwise.
bool is_of_all_ranks(const DescribedGroup& group, std::int64_t world_size);

/// Returns the ranks 0 to world_size - 1.
RankList all_ranks(std::int64_t world_size);

}  // namespace nadi
