// The order of device rows on their lanes, and inside launches of CUDA graphs what is recorded.
#pragma once

#include <cstddef>

#include "nadi/base/diagnostics.h"
#include "nadi/graph/edge_list.h"
#include "nadi/graph/graph_draft.h"

namespace nadi {

/// A device row that carries very many recorded operations has a node for each. The first 64 nodes
/// or calls that wait for the row wait for all of its nodes, every further one only for 64 of them,
/// so that edges do not multiply.
inline constexpr std::size_t kMostOfManyNodes = 64;

/// Adds stream order: an edge from each device row to the next on its lane. Inside one launch of a
/// CUDA graph, a row waits only for rows that had ended when it started; where the order of the
/// launch is recorded, add_graph_dependencies adds it instead. Makes the draft's units, which the
/// stages behind this one go by, and marks misplaced rows: those that stand on their lane where API
/// order says they cannot.
void add_stream_order(GraphDraft& draft, EdgeList& edges, Diagnostics& diagnostics);
/// Adds the dependencies that were recorded inside launches of CUDA graphs. A row that was launched
/// programmatically starts before the row that it waits for has ended: the overlap is counted.
void add_graph_dependencies(const GraphDraft& draft, EdgeList& edges);

}  // namespace nadi
