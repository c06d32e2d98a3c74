// Chooses the shape of the network and the collective algorithms for what a job communicates.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "nadi/base/diagnostics.h"
#include "nadi/sim_bridge/astra_sim/network_run.h"
#include "nadi/sim_bridge/job/job.h"

namespace nadi::astra_sim {

/// Collectives of one type that a rank issues in one group.
struct GroupUse {
  std::int64_t type = ChakraProtoMsg::ALL_REDUCE;  ///< CollectiveCommType
  std::int64_t group = 0;                          ///< its number; 0 = all NPUs
  std::int64_t members = 2;
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
};

/// What the ranks of a job communicate, as far as a choice depends on it: of the four types that
/// ASTRA-sim simulates.
class CollectiveUse {
 public:
  explicit CollectiveUse(std::int64_t npus) : npus_(npus) {}
  void add_rank(std::int64_t rank, const std::set<GroupUse>& uses);

  std::int64_t npus() const { return npus_; }
  const std::map<std::int64_t, TypeUse>& types() const { return types_; }

 private:
  std::int64_t npus_;
  std::map<std::int64_t, TypeUse> types_;
};

/// "rank 3 uses ALL_REDUCE in groups 1 and 9"
std::string two_groups_text(std::int64_t type, const TwoGroups& groups);

/// Of a job, with all its copies, whose group i is number i + 1, as write_rank writes it.
CollectiveUse collective_use(const Job& job);

/// Takes `plain`, a network with as many NPUs as the job has ranks, and its backend. Sets the
/// implementations, and where it has one dimension and a rank uses a type in two groups each
/// smaller than the job, the dimensions of which the NPUs beyond the ranks are idle
/// (sim_bridge/astra_sim/running.md, "Jobs that end"): such jobs name the group of all ranks, too.
/// Reports both. Throws Error: kInput for such a job and the congestion-aware backend or a Ring,
/// kUsage for that backend and several dimensions.
JobNetwork choose_network(const CollectiveUse& use, JobNetwork plain, Diagnostics& diagnostics);

}  // namespace nadi::astra_sim
