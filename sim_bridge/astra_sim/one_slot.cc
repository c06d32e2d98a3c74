#include "nadi/sim_bridge/astra_sim/one_slot.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace nadi::astra_sim {
namespace {

bool takes_compute_slot(const JobNode& node, bool is_host) {
  return !node.is_dropped && !node.is_delay && node.is_host == is_host &&
         node.type == NodeType::kCompute && node.communication == kNoIndex && node.row != kNoIndex;
}

struct Edge {
  Ns time;
  std::uint32_t node;
  bool is_end;
};

/// Starts and ends of the nodes that a slot runs, by time.
std::vector<Edge> edges_by_time(const JobRank& rank, bool is_host) {
  std::vector<Edge> edges;
  for (std::uint32_t n = 0; n < rank.nodes.size(); ++n) {
    const JobNode& node = rank.nodes[n];
    if (!takes_compute_slot(node, is_host) || node.duration_ns <= 0) continue;
    edges.push_back({node.start_ns, n, false});
    edges.push_back({end_of(node), n, true});
  }
  std::stable_sort(edges.begin(), edges.end(),
                   [](const Edge& a, const Edge& b) { return a.time < b.time; });
  return edges;
}

/// The slot's own clock stands still while nothing runs and goes 1/n as fast while n nodes do: what
/// passes of it while a node runs is the node's share. Returns how many nodes shared.
std::uint64_t share_slot(JobRank& rank, bool is_host) {
  std::vector<double> begun(rank.nodes.size(), 0);
  double passed = 0;  // ns of the slot's clock
  Ns before = 0;
  std::int64_t running = 0;
  std::uint64_t shared = 0;
  for (const Edge& edge : edges_by_time(rank, is_host)) {
    if (running > 0)
      passed += static_cast<double>(edge.time - before) / static_cast<double>(running);
    before = edge.time;
    running += edge.is_end ? -1 : 1;
    if (!edge.is_end) {
      begun[edge.node] = passed;
      continue;
    }
    Ns& duration = rank.nodes[edge.node].duration_ns;
    const auto share = static_cast<Ns>(std::llround(passed - begun[edge.node]));
    if (share >= duration) continue;
    duration = share;
    ++shared;
  }
  return shared;
}

}  // namespace

void share_slots(JobRank& rank, Diagnostics& diagnostics) {
  const std::uint64_t shared = share_slot(rank, true) + share_slot(rank, false);
  if (shared > 0)
    diagnostics.report(Finding::kSlotShared, "rank " + std::to_string(rank.recorded_rank), shared);
}

}  // namespace nadi::astra_sim
