#include "nadi/sim_bridge/astra_sim/end_on_message.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace nadi::astra_sim {

void close_rank(JobRank& rank, bool are_messages, Diagnostics& diagnostics) {
  JobNode end;
  end.synthetic_name = "end";
  end.is_host = true;
  end.duration_ns = 1;
  std::vector<bool> is_waited_for(rank.nodes.size(), false);
  for (const JobDependency& dependency : rank.dependencies) is_waited_for[dependency.on] = true;
  std::vector<std::uint32_t> last;
  bool ends_on_message = are_messages, is_empty = true;
  for (std::uint32_t n = 0; n < rank.nodes.size(); ++n) {
    const JobNode& node = rank.nodes[n];
    if (node.is_dropped) continue;
    is_empty = false;
    end.start_ns = std::max(end.start_ns, end_of(node));
    if (is_waited_for[n]) continue;
    last.push_back(n);
    ends_on_message |= node.type == NodeType::kSend || node.type == NodeType::kReceive;
  }
  if (!is_empty && !ends_on_message) return;
  const auto number = static_cast<std::uint32_t>(rank.nodes.size());
  for (const std::uint32_t node : last) rank.dependencies.push_back({number, node});
  rank.nodes.push_back(end);
  diagnostics.report(is_empty ? Finding::kEmptyRankFilled : Finding::kEndNodeAdded,
                     "rank " + std::to_string(rank.recorded_rank));
}

}  // namespace nadi::astra_sim
