#include "nadi/sim_bridge/goal/cpu_choice.h"

#include <algorithm>
#include <limits>

namespace nadi::goal {
namespace {

constexpr std::uint32_t kMostCpus = 256, kForShort = 64;
constexpr Ns kLongestShort = 20 * kNsPerMicro;
constexpr Ns kBeforeAll = std::numeric_limits<Ns>::min();

}  // namespace

Ns measured_overlap(const Graph& graph, const JobNode& earlier, const JobNode& later) {
  if (!graph.tells_starts || earlier.lane != later.lane || earlier.is_host) return 0;
  if (earlier.is_delay || later.is_delay || earlier.communication != kNoIndex) return 0;
  if (earlier.start_ns >= later.start_ns) return 0;
  return std::max<Ns>(0, end_of(earlier) - later.start_ns);
}

std::vector<Ns> measured_tails(const Graph& graph, const JobRank& rank,
                               const Adjacency& dependencies) {
  std::vector<Ns> tails(rank.nodes.size(), 0);
  for (const std::uint32_t node : rank.order)
    for (const std::uint32_t on : dependencies.of(node))
      tails[on] = std::max(tails[on], measured_overlap(graph, rank.nodes[on], rank.nodes[node]));
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

std::uint32_t CpuChoice::of_node(std::uint32_t node, const JobNode& what, Ns tail,
                                 std::span<const std::uint32_t> on) {
  const std::uint32_t lane = what.lane == kNoIndex ? 0 : what.lane % lanes_;
  const Ns end = end_of(what) - tail;
  if (what.is_delay) {
    const bool is_in_lane = what.is_host && lane_last_[lane] != kNoIndex &&
                            std::find(on.begin(), on.end(), lane_last_[lane]) != on.end();
    return is_in_lane ? lane : beside_lanes(what.duration_ns, end);
  }
  const bool runs_beside = has_times_ && !what.is_host && what.start_ns < lane_free_[lane];
  lane_free_[lane] = std::max(lane_free_[lane], end);
  lane_last_[lane] = node;
  return runs_beside ? beside_lanes(what.duration_ns - tail, end) : lane;
}

std::uint32_t CpuChoice::beside_lanes(Ns duration, Ns end) {
  auto& cpus = duration <= kLongestShort ? for_short_ : for_long_;
  const std::uint32_t cpu = cpus.top().second;
  cpus.pop();
  cpus.push({end, cpu});
  return cpu;
}

}  // namespace nadi::goal
