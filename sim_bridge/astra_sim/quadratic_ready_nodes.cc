#include "nadi/sim_bridge/astra_sim/quadratic_ready_nodes.h"

#include <algorithm>
#include <vector>

namespace nadi::astra_sim {

void chain_streams(JobRank& rank) {
  // Other writers' ids need not ascend with time; then an order by id might close a circle.
  const bool ascends = std::all_of(rank.dependencies.begin(), rank.dependencies.end(),
                                   [](const JobDependency& d) { return d.on < d.node; });
  if (!ascends) return;
  std::vector<std::uint32_t> last;  // by lane
  for (std::uint32_t n = 0; n < rank.nodes.size(); ++n) {
    const JobNode& node = rank.nodes[n];
    if (node.is_host || node.is_delay || node.is_dropped || node.communication != kNoIndex)
      continue;
    if (node.lane >= last.size()) last.resize(node.lane + std::size_t{1}, kNoIndex);
    std::uint32_t& before = last[node.lane];
    if (before != kNoIndex) rank.dependencies.push_back({n, before});
    before = n;
  }
}

}  // namespace nadi::astra_sim
