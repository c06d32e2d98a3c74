#include "nadi/sim_bridge/astra_sim/quadratic_ready_nodes.h"

#include <algorithm>
#include <vector>

namespace nadi::astra_sim {

void chain_streams(JobRank& rank) {
  // Other writers' ids need not ascend with time; then an order by id might close a cycle.
  const bool ascends = std::all_of(rank.dependencies.begin(), rank.dependencies.end(),
                                   [](const JobDependency& d) { return d.on < d.node; });
  if (!ascends) return;
  std::vector<std::uint32_t> last;  // by lane
  for (std::uint32_t n = 0; n < rank.size(); ++n) {
    if (rank.is_host[n] || rank.is_delay[n] || rank.is_dropped[n]) continue;
    if (rank.communication[n] != kNoIndex) continue;
    const std::size_t lane = rank.lane[n];
    if (lane >= last.size()) last.resize(lane + 1, kNoIndex);
    std::uint32_t& before = last[lane];
    if (before != kNoIndex) rank.dependencies.push_back({n, before});
    before = n;
  }
}

}  // namespace nadi::astra_sim
