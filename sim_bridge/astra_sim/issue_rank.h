// The graph of one rank as ASTRA-sim's issue rules see it: a Graph, and beside it what only they
// ask for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nadi/base/adjacency.h"
#include "nadi/model/graph.h"
#include "nadi/sim_bridge/job/job.h"

namespace nadi::astra_sim {

/// A communication with its group as the simulator reads it.
struct IssueCommunication : GraphCommunication {
  std::int64_t group_number = 0;  ///< of the group file; 0 = all ranks
};

struct IssueRank {
  /// Columns id, node_name, type, duration_ns (of the whole microseconds), communication, and kind:
  /// kHostOther where `is_cpu_op` is set, else kDeviceRow. Without a structure, which would take 9
  /// bytes more for each dependency than `dependents` does.
  Graph graph;
  std::vector<std::int64_t> group_numbers;  ///< by communication
  Adjacency dependents;                     ///< of each node, ascending, each once

  bool is_host(std::size_t node) const { return graph.kind[node] == NodeKind::kHostOther; }
  /// Of a node that communicates.
  IssueCommunication communication_of(std::size_t node) const {
    const std::uint32_t communication = graph.communication[node];
    return {graph.communications[communication], group_numbers[communication]};
  }
  /// "node 7 (nccl:all_reduce)"
  std::string place_of(std::size_t node) const {
    return "node " + std::to_string(graph.id[node]) + " (" + std::string(graph.name_of(node)) + ")";
  }
};

/// "rank 2: node 7 (nccl:all_reduce)"
inline std::string place_of(std::size_t rank, const IssueRank& of_rank, std::size_t node) {
  return "rank " + std::to_string(rank) + ": " + of_rank.place_of(node);
}

/// A rank of a job as it is written (write_rank), without being written.
IssueRank issue_rank(const Graph& graph, const JobRank& rank);

}  // namespace nadi::astra_sim
