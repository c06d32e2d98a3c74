// Chooses the shape of the network and the collective algorithms for what a job communicates.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

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

/// Of a job, with all its copies, whose group i is number i + 1, as write_rank writes it.
CollectiveUse collective_use(const Job& job);

/// The number of ranks of a node where what communicates tells nodes apart: each group, and each
/// sender with its receiver, either lies in a block of so many ranks (tensor-parallel ones do) or
/// has one rank at the same place of each of several blocks (data- and pipeline-parallel ones do),
/// and both are there. std::nullopt = they do not, or a type would need another implementation than
/// the ring that groups get on two dimensions.
std::optional<std::int64_t> ranks_of_node(const Job& job);

/// Two dimensions in place of the one: the ranks of a node, and the nodes. One node's NPUs are idle
/// behind all ranks, so that the group of all ranks is a part of the network, too.
void tell_nodes_apart(std::int64_t ranks_of_node, Network& network);

/// Takes `plain`, a network with as many NPUs as the job has ranks, or of two dimensions with those
/// of tell_nodes_apart, and its backend. Sets the
/// implementations, and where it has one dimension and a rank uses a type in two groups each
/// smaller than the job, the dimensions of which the NPUs beyond the ranks are idle
/// (sim_bridge/astra_sim/running.md, "Jobs that end"): such jobs name the group of all ranks, too.
/// Reports both. Throws Error: kInput for such a job and the congestion-aware backend or a Ring,
/// kUsage for that backend and several dimensions, or
/// idle NPUs and collectives that name no group.
JobNetwork choose_network(const CollectiveUse& use, JobNetwork plain, Diagnostics& diagnostics);

}  // namespace nadi::astra_sim
