#include "nadi/sim_bridge/astra_sim/exit_crash.h"

#include <utility>

#include "nadi/base/error.h"
#include "nadi/chakra/communication_name.h"
#include "nadi/sim_bridge/astra_sim/network_choice.h"

namespace nadi::astra_sim {
namespace {

using namespace ChakraProtoMsg;

/// The first type that needs idle NPUs, with its use.
const std::pair<const std::int64_t, TypeUse>* type_in_two_parts(const CollectiveUse& use) {
  for (const auto& row : use.types())
    if (row.second.in_two_parts && may_be_ring(row.first, row.second)) return &row;
  return nullptr;
}

/// `what`: the use that needs them.
void require_room_for_idle_npus(const std::string& what, const Network& network) {
  if (network.backend == NetworkBackend::kAware)
    throw Error(ErrorCode::kInput, what,
                "the simulator may abort at its end and lose the results unless the network has "
                "two dimensions, which its congestion-aware program refuses",
                "Choose `backend=unaware`; a recorded job also runs with `communication=replay`");
  if (network.dimensions.front().topology == Topology::kRing)
    throw Error(ErrorCode::kInput, what,
                "the simulator may abort at its end and lose the results unless the network has "
                "idle NPUs, which lengthen the ways on a Ring",
                "Choose another `topology`, or several dimensions (`dims`)");
}

}  // namespace

std::string two_groups_text(std::int64_t type, const TwoGroups& groups) {
  return "rank " + std::to_string(groups.rank) + " uses " + collective_name(type) + " in groups " +
         std::to_string(groups.first) + " and " + std::to_string(groups.second);
}

bool may_be_ring(std::int64_t type, const TypeUse& use) {
  return type != ALL_TO_ALL || use.members.empty() || *use.members.rbegin() <= 2;
}

bool add_idle_dimension(const CollectiveUse& use, Network& network, Diagnostics& diagnostics) {
  const auto* const needs = type_in_two_parts(use);
  if (needs == nullptr || network.dimensions.size() != 1) return false;
  const std::string what = two_groups_text(needs->first, *needs->second.in_two_parts);
  require_room_for_idle_npus(what, network);
  tell_nodes_apart(2, network);
  diagnostics.report(Finding::kIdleNpusAdded, what);
  return true;
}

void give_groups_their_own(std::int64_t type, const TypeUse& use, bool has_idle,
                           std::vector<Implementation>& list, Diagnostics& diagnostics) {
  const auto& two = has_idle ? use.in_two : use.in_two_parts;
  if (!two) return;
  if (may_be_ring(type, use))
    list.assign(2, Implementation::kRing);
  else
    diagnostics.report(Finding::kAllToAllInTwoGroups, two_groups_text(type, *two));
}

}  // namespace nadi::astra_sim
