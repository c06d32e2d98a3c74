// What the ranks of a job communicate, as far as the choice of a network depends on it.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "et_def.pb.h"
#include "nadi/sim_bridge/job/job.h"

namespace nadi::astra_sim {

/// Of collectives whose sizes are no matter, as those of a job that was rewritten, which raised
/// them.
inline constexpr std::int64_t kAnyBytes = std::numeric_limits<std::int64_t>::max();

/// Collectives of one type that a rank issues in one group.
struct GroupUse {
  std::int64_t type = ChakraProtoMsg::ALL_REDUCE;  ///< CollectiveCommType
  std::int64_t group = 0;                          ///< its number; 0 = all NPUs
  std::int64_t members = 2;
  std::int64_t smallest_bytes = kAnyBytes;  ///< of them
  friend auto operator<=>(const GroupUse&, const GroupUse&) = default;
};

/// Two groups in which one rank uses the same type.
struct TwoGroups {
  std::int64_t rank, first, second;
};

/// The collectives of a type, on all ranks.
struct TypeUse {
  std::set<std::int64_t> members;         ///< of the groups
  std::optional<TwoGroups> in_two;        ///< the first rank that uses it in two groups
  std::optional<TwoGroups> in_two_parts;  ///< in two that hold fewer than all `npus`
  bool is_of_all_npus = false;            ///< used without a group's number
  std::int64_t smallest_bytes = kAnyBytes;
};

/// Of the four types that ASTRA-sim simulates.
class CollectiveUse {
 public:
  explicit CollectiveUse(std::int64_t npus) : npus_(npus) {}
  /// `uses`: each group once for a type.
  void add_rank(std::int64_t rank, const std::set<GroupUse>& uses);

  std::int64_t npus() const { return npus_; }
  const std::map<std::int64_t, TypeUse>& types() const { return types_; }

 private:
  std::int64_t npus_;
  std::map<std::int64_t, TypeUse> types_;
};

/// Of a job, with all its copies, whose group i is number i + 1, as write_rank writes it.
CollectiveUse collective_use(const Job& job);

}  // namespace nadi::astra_sim
