#include "nadi/sim_bridge/replay/lane_slots.h"

#include <algorithm>

namespace nadi {

Ns measured_overlap(const ChakraGraph& graph, std::uint32_t earlier, std::uint32_t later) {
  if (graph.lane[earlier] != graph.lane[later] || !graph.is_device(earlier)) return 0;
  if (graph.start_ns[earlier] >= graph.start_ns[later]) return 0;
  return std::max<Ns>(0, graph.end_ns(earlier) - graph.start_ns[later]);
}

ReplayLaneTable::ReplayLaneTable(const ReplayJob& job, ReplayLanes lanes)
    : job_(job), mode_(lanes) {
  if (mode_ == ReplayLanes::kNone) return;
  for (const ChakraGraph& graph : job.graphs) {
    std::uint32_t one_host = kNoLane;
    auto& lane = lane_.emplace_back();
    for (const ChakraLane& what : graph.lanes) {
      const bool is_shared = mode_ == ReplayLanes::kOneHost && !what.is_device;
      if (is_shared && one_host != kNoLane) {
        lane.push_back(one_host);
        continue;
      }
      lane.push_back(static_cast<std::uint32_t>(lanes_++));
      if (is_shared) one_host = lane.back();
    }
  }
}

std::uint32_t ReplayLaneTable::lane_of(std::uint32_t node) const {
  if (mode_ == ReplayLanes::kNone) return kNoLane;
  const std::size_t of = job_.graph_index(node);
  const ChakraGraph& graph = job_.graphs[of];
  const std::uint32_t row = node - job_.first_node[of];
  return graph.kind[row] == ChakraNodeKind::kDelay ? kNoLane : lane_[of][graph.lane[row]];
}

Ns ReplayLaneTable::earliest_start(const LaneSlot& slot, std::uint32_t node) const {
  if (slot.holder == kNoIndex) return kNoTime;
  const ChakraGraph& graph = job_.graph(node);
  const std::uint32_t holder = job_.row(slot.holder), row = job_.row(node);
  const bool is_device = graph.is_device(row);
  if (is_device && graph.correlation[row] >= 0 &&
      graph.correlation[holder] == graph.correlation[row])
    return kNoTime;
  if (slot.free_at == kUnknownTime) return kUnknownTime;
  return slot.free_at - measured_overlap(graph, holder, row);
}

}  // namespace nadi
