// Turns the nodes of a draft into the columns of a graph.
#pragma once

#include <vector>

#include "nadi/graph/built_graph.h"
#include "nadi/graph/graph_draft.h"
#include "nadi/graph/memory_copies.h"

namespace nadi {

/// Fills the columns of graph, its lanes, strings and communications: node n is draft.nodes of
/// order[n]. access: of device rows; empty = none is a memory node. graph.origin_ns is set.
void fill_columns(const GraphDraft& draft, const std::vector<NodeIndex>& order,
                  const ByRow<DeviceRows, MemoryAccess>& access, BuiltGraph& graph);

}  // namespace nadi
