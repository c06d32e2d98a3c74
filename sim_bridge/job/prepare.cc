#include "nadi/sim_bridge/job/prepare.h"
#include "et_def.pb.h"

#include <algorithm>

namespace nadi {

using namespace ChakraProtoMsg;

std::vector<std::uint32_t> host_nodes(const JobRank& rank) {
  std::vector<std::uint32_t> nodes;
  for (std::uint32_t n = 0; n < rank.nodes.size(); ++n)
    if (rank.nodes[n].is_host && !rank.nodes[n].is_dropped) nodes.push_back(n);
  std::stable_sort(nodes.begin(), nodes.end(), [&](std::uint32_t a, std::uint32_t b) {
    return rank.nodes[a].start_ns < rank.nodes[b].start_ns;
  });
  return nodes;
}

void drop_unknown_types(JobRank& rank, Diagnostics& diagnostics) {
  for (JobNode& node : rank.nodes) {
    if (node.type == NodeType::kMetadata || node.type == NodeType::kInvalid) {
      node.is_dropped = true;
      diagnostics.report(Finding::kMetadataDropped,
                         ChakraProtoMsg::NodeType_Name(static_cast<int>(node.type)));
    } else if (node.type == NodeType::kMemoryLoad || node.type == NodeType::kMemoryStore) {
      node.type = NodeType::kCompute;
      diagnostics.report(Finding::kMemoryNodeReplayed, "with its measured duration");
    }
  }
}

void drop_lone_collectives(const Job& job, JobRank& rank, Diagnostics& diagnostics) {
  for (JobNode& node : rank.nodes) {
    if (node.type != NodeType::kCollective || node.is_dropped) continue;
    const JobGroup& group = job.groups[rank.communications[node.communication].group];
    if (job.members_of(group) > 1) continue;
    node.is_dropped = true;
    diagnostics.report(Finding::kOneMemberGroupDropped, "group \"" + group.name + "\"");
  }
}

void anchor_unlaunched(JobRank& rank, Diagnostics& diagnostics) {
  std::vector<bool> waits(rank.nodes.size(), false);
  for (const JobDependency& dependency : rank.dependencies) waits[dependency.node] = true;
  std::vector<std::uint32_t> hosts = host_nodes(rank);
  std::stable_sort(hosts.begin(), hosts.end(), [&](std::uint32_t a, std::uint32_t b) {
    return end_of(rank.nodes[a]) < end_of(rank.nodes[b]);
  });
  for (std::uint32_t n = 0; n < waits.size(); ++n) {
    const JobNode& node = rank.nodes[n];
    if (node.is_host || node.is_dropped || waits[n]) continue;
    const auto later = std::upper_bound(
        hosts.begin(), hosts.end(), node.start_ns,
        [&](Ns start, std::uint32_t host) { return start < end_of(rank.nodes[host]); });
    if (later == hosts.begin()) continue;
    rank.dependencies.push_back({n, *(later - 1)});
    diagnostics.report(Finding::kUnlaunchedAnchored, "rank " + std::to_string(rank.recorded_rank));
  }
}

}  // namespace nadi
