// Finishes a draft whose edges are all known: cuts to steps, thins out, adds delays, numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "nadi/base/adjacency.h"
#include "nadi/graph/build.h"
#include "nadi/graph/graph_draft.h"

namespace nadi {

/// The edges into each node, data edges only.
ValuesByNode<DraftEdgeIndex> in_edges(const GraphDraft& draft);

/// Removes the nodes outside the steps and the edges they had, which are counted.
void filter_steps(GraphDraft& draft, StepRange steps, Diagnostics& diagnostics);

/// Leaves out waits, hand-offs and group edges that an earlier node of the target's lane already
/// implies.
void reduce_edges(GraphDraft& draft);

/// All nodes so that sources of data edges come before their targets.
std::vector<NodeIndex> dependency_order(const GraphDraft& draft);

/// Returns by how many ns the node that is latest starts late when a draft whose parts are joined
/// is replayed with all its idle times and latencies. A launch that is late makes its row late, and
/// so all that waits for the row. Needs GraphDraft::idle_before.
Ns replay_lateness(const GraphDraft& draft);

/// Joins parts as GraphOptions::min_part_ns and join_all_parts say; returns the most that a
/// dependent became late, ns.
Ns join_parts(GraphDraft& draft, const GraphOptions& options);

/// Measures unexplained time into graph and adds the delay nodes; origin is the trace's start.
void add_delays(GraphDraft& draft, Delays delays, BuiltGraph& graph);

/// Orders nodes by start, dependency, host before device, stream, trace order, and makes the
/// Boost.Graph with its columns. access: of device rows; empty = none is a memory node.
void number_nodes(GraphDraft& draft, const ByRow<DeviceRows, MemoryAccess>& access,
                  BuiltGraph& graph, Diagnostics& diagnostics);

}  // namespace nadi
