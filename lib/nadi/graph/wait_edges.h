// What streams and the host waited for, as edges.
#pragma once

#include "nadi/base/diagnostics.h"
#include "nadi/graph/edge_list.h"
#include "nadi/graph/graph_draft.h"

namespace nadi {

/// Where rows of a lane seem to end after what waited for them, their stamps are damaged: the
/// search for work that had ended passes over at most so many of them.
inline constexpr int kMostDamaged = 4;

/// Adds event waits and synchronisation, from linked.actions in API order. Moves the start of each
/// call that blocked to the end of what it waited for.
void add_wait_edges(GraphDraft& draft, EdgeList& edges, Diagnostics& diagnostics);

}  // namespace nadi
