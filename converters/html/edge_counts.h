// Edges of a job by evidence.
#pragma once

#include <vector>

#include "nadi/graph/graph.h"
#include "nadi/sim_bridge/replay/replay_job.h"

namespace nadi::html {

struct EdgeCount {
  Evidence evidence{};
  std::uint64_t edges = 0, inferred = 0;
};

/// A row per evidence that occurs, told as RowEvidence tells it.
std::vector<EdgeCount> edge_counts(const ReplayJob& job);

}  // namespace nadi::html
