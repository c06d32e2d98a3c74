// Edges of a job by evidence.
#pragma once

#include <array>
#include <vector>

#include "nadi/graph/built_graph.h"
#include "nadi/sim_bridge/replay/replay_job.h"

namespace nadi::html {

struct EdgeCount {
  Evidence evidence{};
  std::uint64_t edges = 0;
  std::array<std::uint64_t, kInferenceCount> by_inference{};  ///< of kNone, those that are recorded
  std::uint64_t inferred() const { return edges - by_inference.front(); }
};

/// Returns a row per evidence that occurs, of which the graphs have edges.
std::vector<EdgeCount> edge_counts(const ReplayJob& job);

}  // namespace nadi::html
