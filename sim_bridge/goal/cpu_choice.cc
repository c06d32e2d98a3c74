#include "nadi/sim_bridge/goal/cpu_choice.h"

#include <algorithm>
#include <limits>

namespace nadi::goal {
namespace {

constexpr std::uint32_t kMostCpus = 256, kForShort = 64;
constexpr Ns kLongestShort = 20 * kNsPerMicro;
constexpr Ns kBeforeAll = std::numeric_limits<Ns>::min();

}  // namespace

Ns overlap_of_job_nodes(const Graph& graph, const JobNodes& nodes, std::uint32_t earlier,
                        std::uint32_t later) {
  if (!graph.tells_starts || nodes.lane[earlier] != nodes.lane[later]) return 0;
  if (nodes.is_host[earlier] || nodes.is_delay[earlier] || nodes.is_delay[later]) return 0;
  if (nodes.communication[earlier] != kNoIndex) return 0;
  if (nodes.start_ns[earlier] >= nodes.start_ns[later]) return 0;
  return std::max<Ns>(0, nodes.end_ns(earlier) - nodes.start_ns[later]);
}

std::vector<Ns> measured_tails(const Graph& graph, const JobRank& rank,
                               const Adjacency& dependencies) {
  std::vector<Ns> tails(rank.size(), 0);
  for (const std::uint32_t node : rank.order)
    for (const std::uint32_t on : dependencies.of(node))
      tails[on] = std::max(tails[on], overlap_of_job_nodes(graph, rank, on, node));
  return tails;
}

CpuChoice::CpuChoice(const Graph& graph)
    : lanes_wanted_(graph.lanes.size()),
      lanes_(static_cast<std::uint32_t>(
          std::clamp<std::size_t>(lanes_wanted_, 1, kMostCpus - 2 * kForShort))),
      has_times_(graph.tells_starts),
      lane_free_(lanes_, kBeforeAll),
      lane_last_(lanes_, kNoIndex) {
  for (std::uint32_t cpu = lanes_; cpu < kMostCpus; ++cpu)
    (cpu - lanes_ < kForShort ? for_short_ : for_long_).push({kBeforeAll, cpu});
}

std::uint32_t CpuChoice::of_node(const JobNodes& nodes, std::uint32_t node, Ns tail,
                                 std::span<const std::uint32_t> on) {
  const std::uint32_t lane = nodes.lane[node] == kNoIndex ? 0 : nodes.lane[node] % lanes_;
  const Ns end = nodes.end_ns(node) - tail;
  const bool is_host = nodes.is_host[node];
  if (nodes.is_delay[node]) {
    const bool is_in_lane = is_host && lane_last_[lane] != kNoIndex &&
                            std::find(on.begin(), on.end(), lane_last_[lane]) != on.end();
    return is_in_lane ? lane : beside_lanes(nodes.duration_ns[node], end);
  }
  const bool runs_beside = has_times_ && !is_host && nodes.start_ns[node] < lane_free_[lane];
  lane_free_[lane] = std::max(lane_free_[lane], end);
  lane_last_[lane] = node;
  return runs_beside ? beside_lanes(nodes.duration_ns[node] - tail, end) : lane;
}

std::uint32_t CpuChoice::beside_lanes(Ns duration, Ns end) {
  auto& cpus = duration <= kLongestShort ? for_short_ : for_long_;
  const std::uint32_t cpu = cpus.top().second;
  cpus.pop();
  cpus.push({end, cpu});
  return cpu;
}

}  // namespace nadi::goal
