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

/// A row per evidence that occurs. What graphs tell of edges is looked at where they were loaded
/// with LoadOptions::parents; else, and where nothing is told, the ends of an edge say what it is.
std::vector<EdgeCount> edge_counts(const ReplayJob& job);

}  // namespace nadi::html
