#include "nadi/sim_bridge/astra_sim/issue_rank.h"

#include <utility>

#include "nadi/sim_bridge/astra_sim/ordered_nodes.h"
#include "nadi/sim_bridge/astra_sim/write_files.h"

namespace nadi::astra_sim {

IssueRank issue_rank(const Graph& graph, const JobRank& rank) {
  OrderedNodes ordered = ordered_nodes(rank);
  IssueRank result;
  result.dependents = std::move(ordered.behind);
  Graph& columns = result.graph;
  for (std::size_t n = 0; n < rank.order.size(); ++n) {
    const std::uint32_t node = rank.order[n];
    columns.id.push_back(n + 1);
    columns.node_name.push_back(columns.strings.intern(rank.name_of(node, graph)));
    columns.type.push_back(rank.type[node]);
    columns.duration_ns.push_back(whole_ns(ordered.ns[n]));
    columns.kind.push_back(rank.is_host[node] != 0 ? NodeKind::kHostOther : NodeKind::kDeviceRow);
    if (rank.communication[node] == kNoIndex) {
      columns.communication.push_back(kNoIndex);
      continue;
    }
    const JobCommunication& communication = rank.communication_of(node);
    columns.communication.push_back(static_cast<std::uint32_t>(columns.communications.size()));
    GraphCommunication& added = columns.communications.emplace_back(communication);
    added.group = added.dtype = StringId::kEmpty;  // of the graph's strings
    result.group_numbers.push_back(
        communication.job_group == kNoIndex ? 0 : group_number(communication.job_group));
  }
  return result;
}

}  // namespace nadi::astra_sim
