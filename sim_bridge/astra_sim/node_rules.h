// The rules that one node of one rank can break.
#pragma once

#include <cstdint>
#include <string>

#include "et_def.pb.h"
#include "nadi/sim_bridge/astra_sim/check.h"
#include "nadi/sim_bridge/astra_sim/issue_rank.h"
#include "nadi/sim_bridge/astra_sim/issue_simulation.h"

namespace nadi::astra_sim {

/// The facts of the job that a node is checked against.
struct NodeContext {
  std::int64_t rank = 0;
  std::int64_t ranks = 1;
  const GroupMembers* groups = nullptr;  ///< of the group file; members ascending
  const CheckOptions* options = nullptr;
};

/// Adds what the node breaks; fills what the issue rules need to know of it.
void check_node(const ChakraProtoMsg::Node& node, const NodeContext& context, IssueRank& of_rank,
                CheckFindingList& findings);

}  // namespace nadi::astra_sim
