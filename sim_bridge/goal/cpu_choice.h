// Chooses processors for the nodes of a rank, such that each waits only for what it depends on.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "nadi/base/adjacency.h"
#include "nadi/sim_bridge/job/job.h"

namespace nadi::goal {

/// Returns by how much node `later` was measured to start before `earlier`, on the same stream,
/// ended; 0 where the graph records no starts.
Ns overlap_of_job_nodes(const Graph& graph, const JobNodes& nodes, std::uint32_t earlier,
                        std::uint32_t later);

/// By node: for how long, at its end, it overlaps a row that depends on it, as programmatic
/// dependent launches do; the longest, if several do. `dependencies`: dependencies_by_node(rank).
std::vector<Ns> measured_tails(const Graph& graph, const JobRank& rank,
                               const Adjacency& dependencies);

/// Chooses `cpu`s: one for each lane, and behind them some for what holds no lane. They are fewer
/// than 256, for the binary form has a byte for them; more lanes than that take turns.
class CpuChoice {
 public:
  explicit CpuChoice(const Graph& graph);

  bool has_shared_lanes() const { return lanes_wanted_ > lanes_; }

  /// The cpu of a rank's node without its tail; asked of all nodes, in their order. Delays hold no
  /// lane, unless nothing of the lane could run meanwhile, nor do rows that were measured to start
  /// before their lane was free. `on`: what the node depends on.
  std::uint32_t of_node(const JobNodes& nodes, std::uint32_t node, Ns tail,
                        std::span<const std::uint32_t> on);
  /// Of the cpus behind the lanes, the one that was measured to be free longest; it is taken until
  /// `end`. Nodes over 20 us have cpus of their own: where the network moves nodes against each
  /// other, a short one queued behind a long one would be late.
  std::uint32_t beside_lanes(Ns duration, Ns end);

 private:
  using FreeSince = std::pair<Ns, std::uint32_t>;  // time, cpu

  std::size_t lanes_wanted_;
  std::uint32_t lanes_;
  bool has_times_;
  std::vector<Ns> lane_free_;             // by lane: the latest end of what it runs
  std::vector<std::uint32_t> lane_last_;  // by lane: the last node on it
  std::priority_queue<FreeSince, std::vector<FreeSince>, std::greater<>> for_short_, for_long_;
};

}  // namespace nadi::goal
