// What a profiler that knows the nodes of CUDA graphs records of their launches: rows and the
// dependencies between them, with its gaps.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "execute.h"
#include "write.h"

namespace nadi::vm {

struct GraphRecords {
  std::vector<bool> is_written;  ///< by row of RankRun::rows, eager ones included
  /// By row: of its launch; 0 where the profiler lost it (N43).
  std::vector<std::int64_t> correlation;
  /// By row: its node waits for another of the graph, whether or not that one's row is recorded.
  std::vector<bool> is_waiting;
  /// Predecessor and successor, into RankRun::rows; by successor, then by the predecessor's place
  /// in the graph.
  std::vector<std::pair<int, int>> edges;
};

/// The row at that place of a graph launch, or the first one of its node.
int first_of_node(const Call& call, int place);
/// As the trace has it; 0 = the call launches no graph.
std::uint64_t graph_id(const Call& call);
/// Of the row at that place of a graph launch: nodes of child graphs come behind all others (N35).
std::uint64_t graph_node_id(const Call& call, int place);

/// Edges join the nearest nodes that have rows in any launch of their graph (N33), and step over
/// the bodies of child graphs (N35).
GraphRecords graph_records(const RankProgram& program, const RankRun& run,
                           const WriteOptions& options);

}  // namespace nadi::vm
