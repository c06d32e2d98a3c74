#include "nadi/sim_bridge/astra_sim/network_rules.h"

#include <string>
#include <vector>

#include "nadi/chakra/communication_name.h"
#include "nadi/sim_bridge/astra_sim/exit_crash.h"

namespace nadi::astra_sim {
namespace {

void check_machine(const JobNetwork& network, std::int64_t ranks, CheckFindingList& findings) {
  using enum CheckRule;
  const auto& dimensions = network.network.dimensions;
  const std::int64_t npus = npus_of(network.network);
  if (npus > ranks)
    findings.add(kRankMissing,
                 "rank " + std::to_string(ranks) + ": the network has " + npus_text(npus));
  if (npus > 0 && npus < ranks)
    findings.add(kNpusMissing, npus_text(npus) + " for " + std::to_string(ranks) + " ranks");
  if (network.network.backend == NetworkBackend::kAware && dimensions.size() > 1)
    findings.add(kDimensionsRefused, std::to_string(dimensions.size()) + " dimensions");
  for (std::size_t i = 0; i < dimensions.size(); ++i)
    if (dimensions[i].npus < 2)
      findings.add(kDimensionOfOne, "dimension " + std::to_string(i + 1) + ": npus_count " +
                                        std::to_string(dimensions[i].npus));
  if (network.system.endpoint_delay_ns == 0) findings.add(kEndpointDelayZero, "endpoint-delay 0");
  if (network.system.memory_gb_per_s <= 0) findings.add(kMemoryBandwidthZero, "local-mem-bw");
  for (const std::string& name : network.unknown) findings.add(kImplementationUnknown, name);
}

/// An implementation is missing only where collectives of the type are issued.
void check_missing(const CollectiveUse& use, const JobNetwork& network,
                   CheckFindingList& findings) {
  std::string needed;
  for (const std::string& name : network.missing) {
    bool is_needed = true;
    for (const ImplementationSetting& row : implementation_settings())
      if (row.name == name) is_needed = use.types().contains(row.type);
    if (is_needed) needed += (needed.empty() ? "" : ", ") + name;
  }
  if (!needed.empty()) findings.add(CheckRule::kSettingMissing, needed);
}

/// `list`: the implementations of the type, at least one.
void check_implementations(std::int64_t type, const TypeUse& use, std::int64_t npus,
                           std::size_t dimensions, const std::vector<Implementation>& list,
                           CheckFindingList& findings) {
  using enum CheckRule;
  const std::string name = collective_name(type);
  if (list.size() > dimensions)
    findings.add(kImplementationsRefused, name + ": " + std::to_string(list.size()) + " for " +
                                              std::to_string(dimensions) +
                                              (dimensions == 1 ? " dimension" : " dimensions"));
  if (list.size() == 1 && list.front() == Implementation::kDoubleBinaryTree &&
      *use.members.begin() < npus)
    findings.add(kTreeInAPart, name + " in a group of " + std::to_string(*use.members.begin()));
  if (!use.in_two_parts) return;
  const std::string what = two_groups_text(type, *use.in_two_parts);
  if (type == ChakraProtoMsg::ALL_TO_ALL) {
    if (list.size() == 1 || *use.members.rbegin() > 2) findings.add(kAllToAllInTwoGroups, what);
  } else if (list.size() == 1) {
    findings.add(kCollectiveFreedTwice, what);
  }
}

}  // namespace

void check_network(const CollectiveUse& use, std::int64_t ranks,
                   const std::optional<JobNetwork>& network, CheckFindingList& findings) {
  if (network) {
    check_machine(*network, ranks, findings);
    check_missing(use, *network, findings);
  }
  for (const auto& [type, of_type] : use.types()) {
    if (network) {
      const auto& list = network->system.*implementations_of(type);
      if (!list.empty())
        check_implementations(type, of_type, use.npus(), network->network.dimensions.size(), list,
                              findings);
    } else if (of_type.in_two_parts) {
      findings.add(CheckRule::kCollectiveMaybeFreedTwice,
                   two_groups_text(type, *of_type.in_two_parts));
    }
  }
}

}  // namespace nadi::astra_sim
