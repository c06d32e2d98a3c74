#include "nadi/sim_bridge/job/lost_nodes.h"

#include <algorithm>

namespace nadi {

namespace {

/// What the partner of such a node runs.
ChakraProtoMsg::NodeType other_end(ChakraProtoMsg::NodeType type) {
  switch (type) {
    case ChakraProtoMsg::COMM_SEND_NODE:
      return ChakraProtoMsg::COMM_RECV_NODE;
    case ChakraProtoMsg::COMM_RECV_NODE:
      return ChakraProtoMsg::COMM_SEND_NODE;
    default:
      return type;
  }
}

}  // namespace

std::vector<std::uint32_t>& LostNodes::lane_by_end(std::size_t rank, std::uint32_t lane) {
  const auto [known, is_new] = lanes_.try_emplace({rank, lane});
  if (!is_new) return known->second;
  const std::vector<JobNode>& nodes = job_.ranks[rank].nodes;
  for (std::uint32_t n = 0; n < nodes.size(); ++n)
    if (nodes[n].lane == lane && !nodes[n].is_dropped) known->second.push_back(n);
  std::stable_sort(known->second.begin(), known->second.end(),
                   [&](auto a, auto b) { return end_of(nodes[a]) < end_of(nodes[b]); });
  return known->second;
}

std::uint32_t LostNodes::add(const JobNodeOf& partner, const JobNodeOf& own,
                             const JobNodeOf& own_partner) {
  JobRank& rank = job_.ranks[own.rank];
  const JobRank& partners = job_.ranks[partner.rank];
  JobNode lost = node(partner);
  const Ns end = end_of(lost) + end_of(node(own)) - end_of(node(own_partner));
  lost.type = other_end(lost.type);
  lost.row = kNoIndex;
  lost.synthetic_name = "communication restored";
  lost.lane = node(own).lane;
  lost.start_ns = end - lost.duration_ns;
  rank.communications.push_back(partners.communications[lost.communication]);
  lost.communication = static_cast<std::uint32_t>(rank.communications.size() - 1);
  const auto made = static_cast<std::uint32_t>(rank.nodes.size());

  auto& lane = lane_by_end(own.rank, lost.lane);
  const auto behind =
      std::lower_bound(lane.begin(), lane.end(), end,
                       [&](std::uint32_t n, Ns time) { return end_of(rank.nodes[n]) < time; });
  if (behind != lane.begin()) {
    const std::uint32_t before = *(behind - 1);
    rank.dependencies.push_back({made, before});
    lost.start_ns = std::clamp(end_of(rank.nodes[before]), lost.start_ns, end);
    lost.duration_ns = end - lost.start_ns;
  }
  if (behind != lane.end()) rank.dependencies.push_back({*behind, made});
  lane.insert(behind, made);
  rank.nodes.push_back(lost);
  return made;
}

}  // namespace nadi
