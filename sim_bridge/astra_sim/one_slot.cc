#include "nadi/sim_bridge/astra_sim/one_slot.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace nadi::astra_sim {
namespace {

bool takes_compute_slot(const JobRank& rank, std::uint32_t n, bool is_host) {
  return !rank.is_dropped[n] && !rank.is_delay[n] && rank.is_host[n] == is_host &&
         rank.type[n] == NodeType::kCompute && rank.communication[n] == kNoIndex && rank.has_row(n);
}

struct StartOrEnd {
  Ns time;
  std::uint32_t node;
  bool is_end;
};

/// Starts and ends of the nodes that a slot runs, by time.
std::vector<StartOrEnd> starts_and_ends(const JobRank& rank, bool is_host) {
  std::vector<StartOrEnd> times;
  for (std::uint32_t n = 0; n < rank.size(); ++n) {
    if (!takes_compute_slot(rank, n, is_host) || rank.duration_ns[n] <= 0) continue;
    times.push_back({rank.start_ns[n], n, false});
    times.push_back({rank.end_ns(n), n, true});
  }
  std::stable_sort(times.begin(), times.end(),
                   [](const auto& a, const auto& b) { return a.time < b.time; });
  return times;
}

/// The slot's own clock stands still while nothing runs and goes 1/n as fast while n nodes do: what
/// passes of it while a node runs is the node's share. Returns how many nodes shared.
std::uint64_t share_slot(JobRank& rank, bool is_host) {
  std::vector<double> begun(rank.size(), 0);
  double passed = 0;  // ns of the slot's clock
  Ns before = 0;
  std::int64_t running = 0;
  std::uint64_t shared = 0;
  for (const StartOrEnd& at : starts_and_ends(rank, is_host)) {
    if (running > 0) passed += static_cast<double>(at.time - before) / static_cast<double>(running);
    before = at.time;
    running += at.is_end ? -1 : 1;
    if (!at.is_end) {
      begun[at.node] = passed;
      continue;
    }
    Ns& duration = rank.duration_ns[at.node];
    const auto share = static_cast<Ns>(std::llround(passed - begun[at.node]));
    if (share >= duration) continue;
    duration = share;
    ++shared;
  }
  return shared;
}

}  // namespace

void share_slots(const Graph& graph, JobRank& rank, Diagnostics& diagnostics) {
  if (!graph.tells_starts) return;
  const std::uint64_t shared = share_slot(rank, true) + share_slot(rank, false);
  if (shared > 0)
    diagnostics.report(Finding::kSlotShared, "rank " + std::to_string(rank.recorded_rank), shared);
}

}  // namespace nadi::astra_sim
