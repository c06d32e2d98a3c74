#include "nadi/sim_bridge/job/prepare.h"
#include "et_def.pb.h"

#include <algorithm>

namespace nadi {

using namespace ChakraProtoMsg;

std::vector<std::uint32_t> nodes_by_start(const JobRank& rank) {
  std::vector<std::uint32_t> nodes;
  for (std::uint32_t n = 0; n < rank.size(); ++n)
    if (!rank.is_dropped[n]) nodes.push_back(n);
  std::stable_sort(nodes.begin(), nodes.end(), [&](std::uint32_t a, std::uint32_t b) {
    return rank.start_ns[a] < rank.start_ns[b];
  });
  return nodes;
}

void drop_unknown_types(JobRank& rank, Diagnostics& diagnostics) {
  for (std::uint32_t n = 0; n < rank.size(); ++n) {
    NodeType& type = rank.type[n];
    if (type == NodeType::kMetadata || type == NodeType::kInvalid) {
      rank.is_dropped[n] = true;
      diagnostics.report(Finding::kMetadataDropped,
                         ChakraProtoMsg::NodeType_Name(static_cast<int>(type)));
    } else if (is_memory_access(type)) {
      type = NodeType::kCompute;
      diagnostics.report(Finding::kMemoryNodeReplayed, "with its measured duration");
    }
  }
}

void drop_lone_collectives(Job& job, Diagnostics& diagnostics) {
  for (JobRank& rank : job.ranks)
    for (std::uint32_t n = 0; n < rank.size(); ++n) {
      if (rank.type[n] != NodeType::kCollective || rank.is_dropped[n]) continue;
      const JobGroup& group = job.groups[rank.communication_of(n).job_group];
      if (job.members_of(group) > 1) continue;
      rank.is_dropped[n] = true;
      diagnostics.report(Finding::kOneMemberGroupDropped, "group \"" + group.name + "\"");
    }
}

void anchor_unlaunched(JobRank& rank, Diagnostics& diagnostics) {
  std::vector<bool> waits(rank.size(), false);
  for (const JobDependency& dependency : rank.dependencies) waits[dependency.node] = true;
  std::vector<std::uint32_t> hosts = nodes_by_start(rank);
  std::erase_if(hosts, [&](std::uint32_t n) { return !rank.is_host[n]; });
  std::stable_sort(hosts.begin(), hosts.end(), [&](std::uint32_t a, std::uint32_t b) {
    return rank.end_ns(a) < rank.end_ns(b);
  });
  for (std::uint32_t n = 0; n < waits.size(); ++n) {
    if (rank.is_host[n] || rank.is_dropped[n] || waits[n]) continue;
    const auto later =
        std::upper_bound(hosts.begin(), hosts.end(), rank.start_ns[n],
                         [&](Ns start, std::uint32_t host) { return start < rank.end_ns(host); });
    if (later == hosts.begin()) continue;
    rank.dependencies.push_back({n, *(later - 1)});
    diagnostics.report(Finding::kUnlaunchedAnchored, "rank " + std::to_string(rank.recorded_rank));
  }
}

}  // namespace nadi
