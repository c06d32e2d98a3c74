#include "nadi/emit/whole_micros.h"

namespace nadi {

std::vector<std::uint16_t> carried_remainders(const Graph& graph, std::size_t lane_count) {
  const std::size_t nodes = num_vertices(graph.structure);
  std::vector<std::uint16_t> before(nodes);
  std::vector<std::uint16_t> of_lane(lane_count + 1, 0);  // the last one: nodes without a lane
  for (std::size_t v = 0; v < nodes; ++v) {
    const Node& node = graph.structure[static_cast<std::uint32_t>(v)];
    std::uint16_t& remainder = of_lane[node.lane ? node.lane.value : lane_count];
    before[v] = remainder;
    const auto extra = node.duration_ns > 0 ? node.duration_ns % 1000 : 0;
    remainder = static_cast<std::uint16_t>((remainder + extra) % 1000);
  }
  return before;
}

}  // namespace nadi
