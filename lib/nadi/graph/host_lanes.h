// The nodes of host lanes: what each thread did, and in which order.
#pragma once

#include "nadi/graph/edge_list.h"
#include "nadi/graph/graph_draft.h"

namespace nadi {

/// Makes the nodes of all host lanes: ops, the parts of their own time, calls outside ops and calls
/// that block.
void make_host_nodes(GraphDraft& draft);

/// Adds edges from each node of a host lane to the next.
void add_thread_order(const GraphDraft& draft, EdgeList& edges);
/// Adds edges from each op to its child ops, parts, calls and device rows.
void add_nesting(const GraphDraft& draft, EdgeList& edges);

}  // namespace nadi
