#include <algorithm>

#include "nadi/sim_bridge/astra_sim/steps.h"
#include "nadi/sim_bridge/job/prepare.h"

namespace nadi::astra_sim {
namespace {

constexpr Ns kNsPerMicro = 1000;

}  // namespace

void chain_streams(JobRank& rank) {
  // Other writers' ids need not ascend with time; then an order by id might close a circle.
  const bool ascends = std::all_of(rank.dependencies.begin(), rank.dependencies.end(),
                                   [](const JobDependency& d) { return d.on < d.node; });
  if (!ascends) return;
  std::vector<std::uint32_t> last;  // by lane
  for (std::uint32_t n = 0; n < rank.nodes.size(); ++n) {
    const JobNode& node = rank.nodes[n];
    if (node.is_host || node.is_dropped || node.communication != kNoIndex) continue;
    if (node.lane >= last.size()) last.resize(node.lane + std::size_t{1}, kNoIndex);
    std::uint32_t& before = last[node.lane];
    if (before != kNoIndex) rank.dependencies.push_back({n, before});
    before = n;
  }
}

void add_host_delays(JobRank& rank, Diagnostics& diagnostics) {
  const JobTable dependencies = dependencies_by_node(rank);
  Ns busy_until = 0, saved = 0;
  std::uint32_t last = kNoIndex;  // the host node that ended at busy_until
  for (const std::uint32_t n : host_nodes(rank)) {
    Ns explained = busy_until;
    for (const std::uint32_t on : dependencies.of(n))
      explained = std::max(explained, end_of(rank.nodes[on]));
    saved += std::max<Ns>(rank.nodes[n].start_ns - explained, 0);
    // Less than the schema's microsecond waits for more.
    if (const Ns whole = saved - saved % kNsPerMicro; whole > 0) {
      JobNode delay;
      delay.made_name = "delay";
      delay.is_host = true;
      delay.lane = rank.nodes[n].lane;
      delay.duration_ns = whole;
      delay.start_ns = std::max(explained, rank.nodes[n].start_ns - whole);
      const auto number = static_cast<std::uint32_t>(rank.nodes.size());
      for (const std::uint32_t on : dependencies.of(n)) rank.dependencies.push_back({number, on});
      if (last != kNoIndex) rank.dependencies.push_back({number, last});
      rank.dependencies.push_back({n, number});
      rank.nodes.push_back(delay);
      saved -= whole;
      diagnostics.report("host-delay", Severity::kInfo,
                         "rank " + std::to_string(rank.recorded_rank));
    }
    if (end_of(rank.nodes[n]) > busy_until || last == kNoIndex) {
      busy_until = std::max(busy_until, end_of(rank.nodes[n]));
      last = n;
    }
  }
}

}  // namespace nadi::astra_sim
