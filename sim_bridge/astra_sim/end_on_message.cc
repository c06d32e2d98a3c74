#include "nadi/sim_bridge/astra_sim/end_on_message.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace nadi::astra_sim {

void close_rank(JobRank& rank, bool are_messages, Diagnostics& diagnostics) {
  Ns end_ns = 0;
  std::vector<bool> is_waited_for(rank.size(), false);
  for (const JobDependency& dependency : rank.dependencies) is_waited_for[dependency.on] = true;
  std::vector<std::uint32_t> last;
  bool ends_on_message = are_messages, is_empty = true;
  for (std::uint32_t n = 0; n < rank.size(); ++n) {
    if (rank.is_dropped[n]) continue;
    is_empty = false;
    end_ns = std::max(end_ns, rank.end_ns(n));
    if (is_waited_for[n]) continue;
    last.push_back(n);
    ends_on_message |= rank.type[n] == NodeType::kSend || rank.type[n] == NodeType::kReceive;
  }
  if (!is_empty && !ends_on_message) return;
  const std::uint32_t end = rank.add(AddedNode::kEnd);
  rank.is_host[end] = true;
  rank.start_ns[end] = end_ns;
  rank.duration_ns[end] = 1;
  for (const std::uint32_t node : last) rank.dependencies.push_back({end, node});
  diagnostics.report(is_empty ? Finding::kEmptyRankFilled : Finding::kEndNodeAdded,
                     "rank " + std::to_string(rank.recorded_rank));
}

}  // namespace nadi::astra_sim
