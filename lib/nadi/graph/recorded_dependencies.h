// Dependencies that the file itself records, as edges.
#pragma once

#include "nadi/graph/edge_list.h"
#include "nadi/graph/graph_draft.h"

namespace nadi {

/// Adds linked.recorded_dependencies: device row or op -> device row or op. Where an op was still
/// open when what waited for it began, the edge leads from the last of its nodes that had ended by
/// then, else to the first node inside the waiting op that starts after it. An op that waited for a
/// row waits with the first of its nodes that starts once the row has ended.
void add_recorded_dependencies(const GraphDraft& draft, EdgeList& edges);

}  // namespace nadi
