// The tables of a graph: its nodes, edges, communications and lanes as columns.
#pragma once

#include <memory>

#include "nadi/emit/column_table.h"
#include "nadi/model/graph.h"

namespace nadi {

/// A row per node: the columns of GraphNodes, `start_ns` where the graph has times, and `parent`.
/// `parent` and `communication` are rows, -1 = none. Looks into the graph, and keeps it.
ColumnTable node_table(const std::shared_ptr<const Graph>& graph);

/// A row per edge, by target: source and target (rows of nodes), kind (data or control), evidence,
/// inferred: "recorded", or what it is inferred from: "pattern", "place", "timing".
ColumnTable edge_table(const Graph& graph);

/// A row per communication, with the row of its `node`; `collective` is empty of messages.
ColumnTable communication_table(const Graph& graph);

/// A row per lane that `lane` of a node means, with the name that the tool gives it.
ColumnTable lane_table(const Graph& graph);

}  // namespace nadi
